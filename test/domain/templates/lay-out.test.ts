import { describe, expect, test } from "bun:test";
import { layOutFor } from "../../../src/domain/templates/lay-out.ts";
import type { TemplateContent } from "../../../src/domain/templates/templates.ts";
import { safeZoneOf } from "../../../src/engine/timeline/safe-zone.ts";

const tall = { width: 1080, height: 1920 };
const wide = { width: 1280, height: 720 };
const timing = { timingMode: "relative" } as const;
const text = { id: "t", text: "Hi", fontSize: 60, fontColor: "white", centerX: 0, centerY: 0, ...timing };
const content = (...textOverlays: TemplateContent["textOverlays"]): TemplateContent => ({
  layoutSize: tall,
  textOverlays,
  imageOverlays: [],
});

describe("layOutFor", () => {
  test("changes nothing for its own size, and nothing without a layout size", () => {
    const own = content(text);
    expect(layOutFor(own, { ...tall })).toBe(own);
    const { layoutSize: _, ...anywhere } = own;
    expect(layOutFor(anywhere, wide)).toBe(anywhere);
  });

  test("scales all of a frame of the same shape, wherever it lies", () => {
    const logo = { id: "i", assetId: "a", width: 120, height: 60, opacity: 1, rotation: 0, maintainAspectRatio: true };
    const placed = {
      ...content({ ...text, centerX: 300 }),
      imageOverlays: [{ ...logo, ...timing, centerX: -240, centerY: -460 }],
    };
    const { textOverlays, imageOverlays } = layOutFor(placed, { width: 720, height: 1280 });
    expect(textOverlays[0]).toMatchObject({ fontSize: 40, centerX: 200, centerY: 0 });
    const [{ centerX, centerY, width, height } = {}] = imageOverlays as readonly Partial<
      typeof logo & typeof text & { height: number }
    >[];
    // the pixel (300, 500) of 1080 × 1920 is (200, 333) here
    expect([centerX! + 360, Math.round(centerY! + 640), width, height]).toEqual([200, 333, 80, 40]);
  });

  test("scales every length with the shorter side", () => {
    const lengths = { maxWidth: 600, maxHeight: 90, padding: 30, radius: 12, strokeWidth: 3, letterSpacing: 6 };
    expect(layOutFor(content({ ...text, ...lengths }), wide)).toMatchObject({
      layoutSize: wide,
      textOverlays: [
        { fontSize: 40, maxWidth: 400, maxHeight: 60, padding: 20, radius: 8, strokeWidth: 2, letterSpacing: 4 },
      ],
    });
  });

  test("scales the lengths of effects and of motion, and moves keyed places", () => {
    const moving = {
      ...text,
      shadow: { color: "black", blur: 12, x: 3, y: 6 },
      enter: { name: "slide", distance: 300 },
      exit: "fade",
      loop: { name: "float", distance: 30 },
      keyframes: {
        centerX: [{ at: 0, value: 300 }],
        y: [{ at: "10%", value: 960 }],
        blur: [{ at: 0, value: 9 }],
        scale: [{ at: 0, value: 2 }],
      },
      spans: [{ text: "Hi", fontSize: 30 }],
    };
    const { textOverlays } = layOutFor(content(moving), { width: 720, height: 1280 });
    expect(textOverlays[0]).toMatchObject({
      shadow: { color: "black", blur: 8, x: 2, y: 4 },
      enter: { name: "slide", distance: 200 },
      exit: "fade",
      loop: { name: "float", distance: 20 },
      keyframes: {
        centerX: [{ at: 0, value: 200 }],
        y: [{ at: "10%", value: 640 }],
        blur: [{ at: 0, value: 6 }],
        scale: [{ at: 0, value: 2 }],
      },
      spans: [{ text: "Hi", fontSize: 20 }],
    });
  });

  test("keeps a group at its edges of the safe zone, and its overlays at their distances", () => {
    const zone = safeZoneOf(tall);
    const size = { maxWidth: 300, maxHeight: 90, group: "g" };
    const centerX = zone.x + 150 - 540;
    const centerY = zone.y + 45 - 960;
    const upper = { ...text, ...size, centerX, centerY };
    const lower = { ...text, ...size, id: "u", centerX, centerY: centerY + 120 };
    const { textOverlays } = layOutFor(content(upper, lower), wide);
    const target = safeZoneOf(wide);
    const [first, second] = textOverlays;
    expect(first!.centerX).toBeCloseTo(target.x + 100 - wide.width / 2);
    expect(first!.centerY).toBeCloseTo(target.y + 30 - wide.height / 2);
    expect(second!.centerY - first!.centerY).toBeCloseTo(80);
  });
});
