import { expect, test } from "bun:test";
import { z } from "zod";
import { ExportRequest } from "../../../../../src/domain/exports/request/schema.ts";
import { issuesOf, parseInput } from "../../../../../src/domain/shared/validation.ts";

const issues = (rest: object) => {
  const parsed = parseInput(ExportRequest, { projectId: "p", workId: "w", clips: [], ...rest });
  return parsed.success ? [] : issuesOf(parsed.error);
};

const invalidPaths = (rest: object) => issues(rest).map(({ path }) => path);

const rect = { type: "shape", shape: "rect" };
const text = { type: "text", text: "x" };
const moved = (keyframes: object, layer: object = rect) => ({ layers: [{ ...layer, keyframes }] });
const at = (...values: unknown[]) => values.map((value, index) => ({ at: index, value }));
const nested = (depth: number): object => (depth === 0 ? rect : { type: "group", layers: [nested(depth - 1)] });
const stops = (count: number) => Array.from({ length: count }, () => ({ at: 0, color: "red" }));

const invalid: [path: string, rest: object][] = [
  ["layers.0.type", { layers: [{}] }],
  ["layers.0.type", { layers: [{ type: "sound", assetId: "a" }] }],
  ["layers.0.type", { layers: [{ type: "unknown" }] }],
  ["layers.0.text", { layers: [{ type: "text" }] }],
  ["layers.0.end", { layers: [{ ...text, end: 0 }] }],
  ["layers.0.end", { layers: [{ ...text, position: 2, end: 1 }] }],
  ["layers.0.shape", { layers: [{ type: "shape", shape: "heart" }] }],
  ["layers.0.d", { layers: [{ type: "shape", shape: "path" }] }],
  ["layers.0.d", { layers: [{ type: "shape", shape: "path", d: "10 10" }] }],
  ["layers.0.d", { layers: [{ type: "shape", shape: "path", d: "M0 0 L1e9 0" }] }],
  ["layers.0.d", { layers: [{ type: "shape", shape: "path", d: "M0 0L1000001,0" }] }],
  ["layers.0.d", { layers: [{ type: "shape", shape: "path", d: "M0 0.5L9e5.0e1+-9e6" }] }],
  ["layers.0.d", { layers: [{ type: "shape", shape: "path", d: `M0 0 ${"L1 1".repeat(20_001)}` }] }],
  ["layers.0.d", { layers: [{ type: "shape", shape: "path", d: `M0 0 L${"1 1 ".repeat(20_001)}` }] }],
  ["layers.0.d", { layers: [{ type: "shape", shape: "path", d: `M0 0${" ".repeat(102_400)}` }] }],
  ["layers.0.fill", { layers: [{ ...rect, fill: "nocolor" }] }],
  ["layers.0.fill.stops", { layers: [{ ...rect, fill: { type: "linear", stops: stops(33) } }] }],
  ["layers.0.fill.type", { layers: [{ ...rect, fill: { type: "square", stops: stops(2) } }] }],
  ["layers.0.stroke.dash", { layers: [{ ...rect, stroke: { dash: Array(17).fill(1) } }] }],
  ["layers.0.scale", { layers: [{ ...rect, scale: 101 }] }],
  ["layers.0.shadow.blur", { layers: [{ ...rect, shadow: { blur: 201 } }] }],
  ["layers.0.filter.blur", { layers: [{ ...rect, filter: { blur: 201 } }] }],
  ["layers.0.blend", { layers: [{ ...rect, blend: "dissolve" }] }],
  ["layers.0.mask", { layers: [{ ...rect, mask: {} }] }],
  ["layers.0.mask.layer", { layers: [{ ...rect, mask: { assetId: "a", layer: "b" } }] }],
  ["layers.0.mask.d", { layers: [{ ...rect, mask: { shape: "path" } }] }],
  ["layers.0.enter", { layers: [{ ...rect, enter: "typewriter" }] }],
  ["layers.0.enter.name", { layers: [{ ...rect, enter: { name: "count" } }] }],
  ["layers.0.enter.caret", { layers: [{ ...text, enter: { name: "fade", caret: true } }] }],
  ["layers.0.enter.direction", { layers: [{ ...text, enter: { name: "slide", direction: "clock" } }] }],
  ["layers.0.enter.easing", { layers: [{ ...text, enter: { name: "fade", easing: "wobbly" } }] }],
  ["layers.0.exit", { layers: [{ ...text, exit: "draw" }] }],
  ["layers.0.loop", { layers: [{ ...text, loop: "fade" }] }],
  ["layers.0.motions.0.name", { layers: [{ ...text, motions: [{ at: 1, name: "draw" }] }] }],
  ["layers.0.animateIn", { layers: [{ ...text, enter: "fade", animateIn: "fade" }] }],
  ["layers.0.filter.tint", moved({ tint: at(0, 1) })],
  ["layers.0.keyframes.fontSize", moved({ fontSize: at(1) })],
  ["layers.0.keyframes.trimEnd", moved({ trimEnd: at(1) }, text)],
  ["layers.0.keyframes.x", moved({ x: at(1), centerX: at(1) })],
  ["layers.0.keyframes.opacity.1.value", moved({ opacity: at(0, 2) })],
  ["layers.0.keyframes.opacity.0.value", moved({ opacity: at("0") })],
  ["layers.0.keyframes.opacity.0.at", moved({ opacity: [{ at: -1, value: 0 }] })],
  ["layers.0.keyframes.opacity.0.at", moved({ opacity: [{ at: "40", value: 0 }] })],
  ["layers.0.keyframes.opacity.0.easing", moved({ opacity: [{ at: 0, value: 0, easing: "spring(0,0)" }] })],
  ["layers.0.keyframes.opacity", moved({ opacity: Array(201).fill({ at: 0, value: 0 }) })],
  ["layers.0.keyframes.fill.0.value", moved({ fill: at("nocolor") })],
  [
    "layers.1.id",
    {
      layers: [
        { ...rect, id: "a" },
        { ...rect, id: "a" },
      ],
    },
  ],
  [
    "layers.1.layers.0.id",
    {
      layers: [
        { ...rect, id: "a" },
        { type: "group", layers: [{ ...rect, id: "a" }] },
      ],
    },
  ],
  ["layers.0.layers.0.layers.0.layers.0.layers.0.layers", { layers: [nested(5)] }],
  ["layers.0.layers.0.layers.0.layers.0.layers.0.layers", { layers: [nested(5_000)] }],
  ["layers", { layers: Array(501).fill(rect) }],
  ["layers", { layers: Array(3).fill({ type: "group", layers: Array(333).fill(rect) }) }],
  ["layers.0.layers", { layers: [{ type: "group", layers: Array(501).fill(rect) }] }],
  ["layers.0.width", { layers: [{ ...text, fontSize: "auto", height: 10 }] }],
  ["layers.0.spans", { layers: [{ ...text, spans: [{ text: "y" }] }] }],
  ["layers.0.spans", { layers: [{ type: "text", spans: Array(201).fill({ text: "y" }) }] }],
  ["layers.0.mask.width", { layers: [{ ...text, mask: { shape: "rect" } }] }],
  ["texts.0.text", { texts: [{ position: 0, end: 1 }] }],
  ["texts.0.animateOut", { texts: [{ text: "x", position: 0, end: 1, exit: "fade", animateOut: "pop" }] }],
  ["texts.0.shadowBlur", { texts: [{ text: "x", position: 0, end: 1, shadow: {}, shadowBlur: 1 }] }],
  ["texts.0.keyframes.width", { texts: [{ text: "x", position: 0, end: 1, keyframes: { width: at(1) } }] }],
  ["images.0.enter", { images: [{ assetId: "a", position: 0, end: 1, enter: "reveal" }] }],
  ["options.duration", { options: { duration: 3601 } }],
  ["options.background", { options: { background: "see-through" } }],
];

test.each(invalid)("an error names the invalid field %s", (path, rest) => {
  expect(invalidPaths(rest)).toEqual([path]);
});

test("an error about the type or a name lists what is possible", () => {
  expect(issues({ layers: [{ type: "card" }] })[0]?.message).toContain("type must be one of: text, image");
  expect(issues({ layers: [{ ...rect, enter: "reveal" }] })[0]?.message).toContain("draw");
  expect(issues({ layers: [{ ...text, enter: "draw" }] })[0]?.message).toContain("typewriter");
});

test("layers with all of the language are valid", () => {
  const all = {
    anchor: { x: 0, y: 1 },
    scale: { x: -1, y: 2 },
    filter: { brightness: 1.2, tint: { color: "red" } },
    blend: "multiply",
    enter: { name: "slide", seconds: 0.4, by: "layer", direction: "left", easing: "out-back" },
    exit: "fade",
    loop: { name: "wiggle", frequency: 3 },
    motions: [{ at: 1, name: "pop" }],
    keyframes: {
      centerX: [
        { at: 0, value: 1 },
        { at: "40%", value: 2, easing: "spring(200,15)" },
      ],
      tint: at(0, 1),
    },
  };
  const layers = [
    { ...all, ...text, id: "words", spans: [{ text: "x", color: "red" }], animateIn: "none", end: null },
    { ...all, type: "text", spans: [{ text: "a" }, { text: "b" }], fontSize: "auto", width: 100, height: 20 },
    { ...all, type: "image", assetId: "a", fit: "cover", focus: { x: 0, y: 0 } },
    { ...all, ...rect, fill: { type: "conic", stops: stops(2) }, mask: { layer: "words", by: "luma" } },
    { ...all, type: "group", layers: [nested(3)], stagger: 0.1 },
  ];
  expect(issues({ layers })).toEqual([]);
});

test("null counts as absent in keyframes too", () => {
  expect(issues(moved({ x: at(1), centerX: null, opacity: null }))).toEqual([]);
});

test("layers are documented as a list of five named schemas", () => {
  const { $defs = {} } = z.toJSONSchema(ExportRequest, { io: "input" });
  expect(Object.keys($defs)).toEqual(
    expect.arrayContaining(["Layer", "TextLayer", "ImageLayer", "ShapeLayer", "GroupLayer", "ShapeLayerKeyframes"]),
  );
  const { layers } = $defs.ExportRequest?.properties ?? {};
  expect(layers).toMatchObject({ anyOf: [{ type: "array", items: { $ref: "#/$defs/Layer" } }, { type: "null" }] });
});
