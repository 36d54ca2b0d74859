import { describe, expect, test } from "bun:test";
import { type BrandableRequest, withBrand } from "../../../src/domain/brand/branding.ts";
import type { ResolvedBrand } from "../../../src/domain/brand/resolve.ts";

const canvas = { width: 1080, height: 1920 };
const clips = [{ end: 4 }, { end: 10 }];
const text = { text: "Hi", position: 0, end: 1 };
const apply = (request: Partial<BrandableRequest>, brand: Partial<ResolvedBrand>, on = canvas) =>
  withBrand<BrandableRequest>({ clips, ...request }, { fonts: {}, missing: [], ...brand }, on);

describe("fonts", () => {
  const heading = { fontAssetId: "asset_h" };
  const body = { fontFamily: "Inter" };
  const texts = [
    { ...text, fontSize: 65 },
    { ...text, fontSize: 64 },
    text,
    { ...text, fontFamily: "Noto Sans" },
    { ...text, fontAssetId: "asset_o" },
  ];
  const fontsOf = (fonts: ResolvedBrand["fonts"], on = canvas) =>
    apply({ texts }, { fonts }, on).texts!.map(({ fontAssetId, fontFamily }) => fontAssetId ?? fontFamily);

  test("depend on the size of a text in its frame, and never replace its own", () => {
    expect(fontsOf({ heading, body })).toEqual(["asset_h", "Inter", "Inter", "Noto Sans", "asset_o"]);
    const small = { width: 540, height: 960 };
    expect(fontsOf({ heading, body }, small)).toEqual(["asset_h", "asset_h", "asset_h", "Noto Sans", "asset_o"]);
  });

  test("are one for both where the brand has one", () => {
    expect(fontsOf({ heading }).slice(0, 3)).toEqual(["asset_h", "asset_h", "asset_h"]);
    expect(fontsOf({ body }).slice(0, 3)).toEqual(["Inter", "Inter", "Inter"]);
  });
});

test("the accent lights the spoken word, unless the captions say another color", () => {
  const palette = { accent: "#00c2a8" };
  const activeOf = (captions: object, own: object = {}) =>
    apply({ captions }, { palette, captions: own }).captions!.colors!.active;
  expect(activeOf({})).toBe("#00c2a8");
  expect(activeOf({}, { colors: { active: "#ff0000" } })).toBe("#ff0000");
  expect(activeOf({ colors: { active: "#0000ff" } }, { colors: { active: "#ff0000" } })).toBe("#0000ff");
});

test("captions take what the request leaves out", () => {
  const words = [{ text: "Hi", start: 0, end: 1 }];
  const captions = { words, style: "pop" as const, colors: { text: "#ffff00" } };
  const own = { style: "box" as const, maxLines: 1, colors: { text: "#ffffff", active: "#ff0000" } };
  expect(apply({ captions }, { captions: own, fonts: { body: { fontFamily: "Inter" } } }).captions).toEqual({
    words,
    style: "pop",
    maxLines: 1,
    colors: { text: "#ffff00", active: "#ff0000" },
    fontFamily: "Inter",
  });
  expect(apply({}, { captions: own })).not.toHaveProperty("captions");
});

describe("an end card", () => {
  const overlay = { id: "a", text: "Bye", fontSize: 40, fontColor: "white", centerX: 0, centerY: 0 };
  const relative = { ...overlay, timingMode: "relative" as const, startPercent: 70 };
  const endCard = { id: "tmpl_1", content: { textOverlays: [relative], imageOverlays: [] } };
  const timesIn = (request: Partial<BrandableRequest>) =>
    apply(request, { endCard }).texts!.map(({ position, end }) => [position, end]);

  test("is over the last three seconds, whatever the first time of its template", () => {
    expect(timesIn({})).toEqual([[7, 10]]);
  });

  test("is over half of a shorter film", () => {
    expect(timesIn({ clips: [{ end: 4 }] })).toEqual([[2, 4]]);
  });
});

test("a brand that adds too many overlays is refused", () => {
  const overlay = {
    text: "x",
    fontSize: 40,
    fontColor: "white",
    centerX: 0,
    centerY: 0,
    timingMode: "relative" as const,
  };
  const textOverlays = Array.from({ length: 300 }, (_, index) => ({ ...overlay, id: `${index}` }));
  const intro = { id: "tmpl_1", content: { textOverlays, imageOverlays: [] } };
  expect(() => apply({ texts: Array(201).fill(text) }, { intro })).toThrow("more than 500");
});

test("the texts in layers are styled as those of the request, in groups too", () => {
  const words = { type: "text" as const, text: "Hi" };
  const layers = [
    { ...words, position: 1 },
    { type: "group" as const, layers: [{ ...words, fontColor: "red", fontFamily: "Noto Sans" }] },
    { ...words, fill: { type: "linear" as const, stops: [] } },
    { type: "shape" as const, shape: "rect" as const },
  ];
  const palette = { text: "#112233", background: "#ffeedd" };
  const branded = apply({ layers }, { palette, fonts: { body: { fontFamily: "Inter" } } });
  expect(branded.layers).toMatchObject([
    { position: 1, fontFamily: "Inter", fontColor: "#112233", background: "#ffeedd" },
    { layers: [{ fontFamily: "Noto Sans", fontColor: "red" }] },
    { fontFamily: "Inter" },
    { type: "shape" },
  ]);
  expect(branded.layers![0]).not.toHaveProperty("end");
  expect(branded.layers![2]).not.toHaveProperty("background");
  expect(branded.layers![3]).toEqual(layers[3]!);
});

test("the layers of a template are shown in its part of the film", () => {
  const content = { textOverlays: [], imageOverlays: [], layers: [{ type: "shape", shape: "rect", position: 0.5 }] };
  const endCard = { id: "tmpl_1", content };
  expect(apply({}, { endCard }).layers).toMatchObject([{ id: "tmpl_1-layer 0", position: 7.5, end: 10 }]);
});
