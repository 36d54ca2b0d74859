import { expect, test } from "bun:test";
import { ExportRequest } from "../../../src/domain/exports/request/schema.ts";
import { applyTemplate, mergeIntoEditor } from "../../../src/domain/templates/apply.ts";
import { layersWithin, type TemplateLayer } from "../../../src/domain/templates/layers.ts";
import type { TemplateContent } from "../../../src/domain/templates/templates.ts";
import { completeEditorState } from "../../../src/domain/works/editor-state.ts";

const rect = { type: "shape", shape: "rect", width: 10, height: 10 };
const content = (layers: readonly TemplateLayer[], more: Partial<TemplateContent> = {}): TemplateContent => ({
  textOverlays: [],
  imageOverlays: [],
  layers,
  ...more,
});
const apply = (given: TemplateContent, rest: object = {}) =>
  applyTemplate({ id: "T", content: given }, { durationSeconds: 5, values: {}, ...rest });

const isValid = (layers: readonly TemplateLayer[] | undefined) =>
  ExportRequest.safeParse({ projectId: "p", workId: "w", clips: [], layers }).success;

test("placeholders in all texts of layers are filled, and those without a value are named", () => {
  const inner = {
    type: "text",
    text: "Only {{price}}",
    fontColor: "{{color}}",
    keyframes: { text: [{ at: 0, value: "{{more}}" }] },
  };
  const { layers, pendingPlaceholders } = apply(content([{ type: "group", layers: [inner] }]), {
    values: { price: "$9", color: "red" },
  });
  expect(layers).toMatchObject([{ layers: [{ text: "Only $9", fontColor: "red" }] }]);
  expect(pendingPlaceholders).toEqual(["more"]);
});

test("the ids of layers begin with that of the template, in masks too", () => {
  const { layers } = apply(content([rect, { ...rect, id: "a", mask: { layer: "b" } }, { ...rect, id: "b" }]));
  expect(layers).toMatchObject([{ id: "T-layer 0" }, { id: "T-a", mask: { layer: "T-b" } }, { id: "T-b" }]);
  expect(isValid(apply(content([{ ...rect, id: "x".repeat(200) }])).layers)).toBe(true);
});

test("a template that is applied again replaces its layers, and keeps those of others", () => {
  const own = { ...rect, id: "own" };
  const state = completeEditorState({ layers: [own] });
  const template = { id: "T", content: content([rect]) };
  const once = mergeIntoEditor(state, apply(template.content), template);
  expect(once.layers).toEqual([own, { ...rect, id: "T-layer 0" }]);
  expect(mergeIntoEditor(once, apply(template.content), template).layers).toEqual(once.layers);
  const without = { id: "T", content: { textOverlays: [], imageOverlays: [] } };
  expect(mergeIntoEditor(once, apply(without.content), without).layers).toEqual([own]);
  expect(mergeIntoEditor(completeEditorState({}), apply(without.content), without)).not.toHaveProperty("layers");
});

test("in another frame the layers are one group that keeps their layout", () => {
  const layoutSize = { width: 1080, height: 1920 };
  const same = apply(content([rect], { layoutSize }), { canvas: { width: 540, height: 960 } });
  expect(same.layers).toMatchObject([
    { type: "group", ...layoutSize, centerX: 0, centerY: 0, scale: 0.5, layers: [rect] },
  ]);
  expect(isValid(same.layers)).toBe(true);
  const wide = apply(content([rect], { layoutSize }), { canvas: { width: 1920, height: 1080 } });
  expect(wide.layers).toMatchObject([{ type: "group", ...layoutSize }]);
  expect(isValid(wide.layers)).toBe(true);
});

test("in a part of a film layers begin with it and end with it", () => {
  const layers = [rect, { ...rect, position: 1, end: 2 }, { ...rect, position: 3 }];
  expect(layersWithin(layers, { start: 10, seconds: 3 })).toEqual([
    { ...rect, position: 10, end: 13 },
    { ...rect, position: 11, end: 12 },
  ]);
});
