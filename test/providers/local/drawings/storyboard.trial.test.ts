import { expect, test } from "bun:test";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import fc from "fast-check";
import type { Color } from "../../../../src/platform/colors.ts";
import { paintCaption } from "../../../../src/providers/local/drawings/caption.ts";
import { captionText } from "../../../../src/providers/local/drawings/caption-text.ts";
import { contrast, schemesOf, toCss } from "../../../../src/providers/local/drawings/color-schemes.ts";
import { frameLayout } from "../../../../src/providers/local/drawings/layout.ts";
import { propOf } from "../../../../src/providers/local/drawings/props.ts";
import { drawStoryboard } from "../../../../src/providers/local/drawings/storyboard.ts";
import { Pixels } from "../../../support/media/drawn-overlays.ts";

const request = {
  resolution: { width: 108, height: 192 },
  prompt: "A cup on a wooden table",
  avoid: "",
  palette: ["#ff6b35", "#fff8f0", "#1b1b3a"],
  tone: "",
};

const drawn = (changes: Partial<typeof request> = {}) =>
  drawStoryboard({ ...request, ...changes }).then((bytes) => Buffer.from(bytes));

const longPrompt = "A cinematic close-up of the mug, while steam curls upward through golden light, ".repeat(8);

test("draws the same bytes for the same request, and others for another prompt", async () => {
  const first = await drawn();
  const again = await drawn();
  const other = await drawn({ prompt: "A cup on a wooden chair" });
  expect(again.equals(first)).toBe(true);
  expect(other.equals(first)).toBe(false);
});

test("has no caption if the negative prompt forbids writing", async () => {
  const captioned = await drawn();
  expect((await drawn({ avoid: "watermark, handwriting" })).equals(captioned)).toBe(true);
  const plain = await drawn({ avoid: "writing, watermark" });
  expect(plain.equals(captioned)).toBe(false);
  expect((await drawn({ avoid: "any text" })).equals(plain)).toBe(true);
});

test("shows what the prompt names first, and a box if it names nothing", () => {
  const named = ["A mug on a table", "The serum on pale stone", "The app on a desk", "Bread on linen"].map(propOf);
  expect(new Set(named).size).toBe(4);
  expect(propOf("Three cups of tea")).toBe(named[0]!);
  expect(propOf("A cupboard")).toBe(named[3]!);
});

test.each([
  [16, 16],
  [64, 64],
  [4096, 16],
  [16, 1024],
  [320, 180],
])("draws a frame of %i × %i pixels", async (width, height) => {
  const image = await loadImage(await drawn({ resolution: { width, height }, prompt: longPrompt }));
  expect([image.width, image.height]).toEqual([width, height]);
});

test("fills every composition with opaque pixels, for any tone", async () => {
  for (const tone of ["calm", "energetic", ""]) {
    for (const prompt of ["Hero shot: a cup", ...Array.from({ length: 16 }, (_, index) => `Scene ${index}`)]) {
      const image = await loadImage(await drawn({ tone, prompt, resolution: { width: 36, height: 64 } }));
      const context = createCanvas(image.width, image.height).getContext("2d");
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      expect(data.every((value, index) => index % 4 !== 3 || value === 255)).toBe(true);
    }
  }
});

test("ignores invalid colors, and has a default palette", async () => {
  const none = await drawn({ palette: [] });
  const unusable = await drawn({ palette: ["nonsense", "transparent", ""] });
  expect(unusable.equals(none)).toBe(true);
  const clean = await drawn();
  const mixed = await drawn({ palette: ["currentColor", ...request.palette] });
  expect(mixed.equals(clean)).toBe(true);
});

const anyColor = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, "0")}`);

test("gives every scheme a floor on which its dark or light color is readable", () => {
  fc.assert(
    fc.property(fc.array(anyColor, { minLength: 1, maxLength: 4 }), (palette) => {
      for (const { floor, dark, light } of schemesOf(palette)) {
        expect(Math.max(contrast(floor, dark), contrast(floor, light))).toBeGreaterThan(4.5);
      }
    }),
    { numRuns: 300 },
  );
});

const scheme = schemesOf(request.palette)[0]!;

/** Paints a caption on vertical stripes. */
async function paintedCaption(prompt: string, size: typeof request.resolution, stripes: readonly string[] = []) {
  const context = createCanvas(size.width, size.height).getContext("2d");
  for (const [index, color] of stripes.entries()) {
    context.fillStyle = color;
    context.fillRect((index * size.width) / 16, 0, size.width, size.height);
  }
  await paintCaption(context, frameLayout(size), scheme, captionText(prompt));
  return new Pixels(context.getImageData(0, 0, size.width, size.height).data, size.width);
}

test.each([
  ["a label and words", "Extreme close-up: a mug on a table while the steam curls upward. Light: golden."],
  ["short words", "Three little words"],
  ["600 characters", longPrompt],
  ["one very long word", "Donaudampfschifffahrt".repeat(20)],
  ["Arabic", "قهوة الصباح الطازجة تُسكب ببطء في فنجان أبيض على طاولة خشبية"],
  ["Chinese", "清晨的阳光照在新鲜的咖啡豆上,蒸汽缓缓升起".repeat(4)],
  ["Hindi", "ताज़ी कॉफ़ी की सुबह, लकड़ी की मेज़ पर भाप उठती हुई"],
  ["emoji", "Launch day 🚀 with ☕️ and 👩🏽‍💻 friends"],
])("keeps a caption of %s inside its area", async (_, prompt) => {
  for (const size of [
    { width: 270, height: 480 },
    { width: 480, height: 270 },
  ]) {
    const pixels = await paintedCaption(prompt, size);
    const { caption: area } = frameLayout(size);
    const { center, size: ink } = pixels;
    expect(ink.height).toBeGreaterThan(8);
    expect(center.x - ink.width / 2).toBeGreaterThan(0.12 * size.width);
    expect(center.x + ink.width / 2).toBeLessThan(0.88 * size.width);
    expect(center.y - ink.height / 2).toBeGreaterThan(area.y - 2);
    expect(center.y + ink.height / 2).toBeLessThan(area.y + area.height + 2);
  }
});

test("takes the framing as label and the first sentences as caption", () => {
  const prompt =
    "Hero shot at eye level: a mug on a table. Light: low, warm light from the left. Mood: calm, and more so.";
  const label = "Hero shot at eye level";
  const caption = "A mug on a table. Light: low, warm light from the left. Mood: calm, and more so.";
  expect(captionText(prompt)).toEqual({ label, caption });
  const longer = `${prompt} ${"Shallow depth of field, the background dissolved into soft discs of light. ".repeat(5)}`;
  expect(captionText(longer)).toEqual({ label, caption });
  expect(captionText("قهوة on a table, alone").caption).toStartWith("\u200e");
  expect(captionText("☕️ 🚀")).toEqual({ label: "", caption: "☕️ 🚀" });
});

test("paints nothing for an empty prompt", async () => {
  expect((await paintedCaption(" \n ", request.resolution)).ink).toBe(0);
});

const colorAt = (pixels: Pixels, x: number, y: number): Color => {
  const [red, green, blue] = pixels.at(x, y);
  return { red: red!, green: green!, blue: blue!, alpha: 1 };
};

test.each(["#ff6b35", "#1b1b3a", "#fff8f0", "#808080", "#00ff00"])("paints a readable caption on %s", async (color) => {
  const size = { width: 270, height: 480 };
  const pixels = await paintedCaption("MMMM", size, [color]);
  const { x, y } = frameLayout(size).caption;
  // the bar above the words has their color
  const ink = colorAt(pixels, Math.ceil(x) + 2, Math.ceil(y));
  const background = colorAt(pixels, 0, 0);
  expect(contrast(ink, background)).toBeGreaterThan(4.5);
});

test("paints a card behind the words on a multicolored background", async () => {
  const size = { width: 270, height: 480 };
  const stripes = Array.from({ length: 16 }, (_, index) => (index % 2 === 0 ? "#000000" : "#ffffff"));
  const plain = await paintedCaption("MMMM", size);
  const striped = await paintedCaption("MMMM", size, stripes);
  const { x, y } = plain.center;
  const card = colorAt(striped, Math.round(x - plain.size.width / 2 - 3), Math.round(y + 4));
  expect(toCss(card)).toBe(toCss(scheme.dark));
});
