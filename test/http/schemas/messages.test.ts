import { expect, test } from "bun:test";
import { z } from "zod";
import { createApp } from "../../../src/app.ts";
import { ExportRequest } from "../../../src/domain/exports/request/schema.ts";
import { issuesOf, parseInput } from "../../../src/domain/shared/validation.ts";
import { noTelemetry } from "../../../src/domain/telemetry/telemetry.ts";
import { SceneModelHeaders } from "../../../src/http/ai/model-headers.ts";
import { NewAsset } from "../../../src/http/assets/routes.ts";
import { inputOf } from "../../../src/http/openapi.ts";
import { PageQuery } from "../../../src/http/schemas/common.ts";
import { NewTemplate, TemplateChanges } from "../../../src/http/templates/schemas.ts";
import { NewWork } from "../../../src/http/works/schemas.ts";
import type { Services } from "../../../src/services.ts";

// safe because no request is sent: the route table alone is read
const app = createApp({ telemetry: noTelemetry, settings: {} } as Services);
// a template's body is one of two schemas, of which a union would tell only the last
const schemas = new Map<z.ZodType, string>([[NewTemplate, "NewTemplate"]]);
for (const { handler, method, path } of app.routes) {
  const schema = inputOf(handler);
  if (schema && !schemas.has(schema)) schemas.set(schema, `${method} ${path}`);
}

/** One value of each type. */
const valuesOfAllTypes = [null, true, "", 0, Number.NaN, {}, []];
const texts = [" ", "NaN", "2020-01-01"];
const longest = 600_000;
const numbers = [-1, 1, 17, 0.001, 1.5, 1e9, -1e9, 1e300, Number.POSITIVE_INFINITY];

type Description = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Description>>;
  readonly additionalProperties?: Description | boolean;
  readonly items?: Description;
  readonly anyOf?: readonly Description[];
  readonly enum?: readonly unknown[];
};

type Definitions = Readonly<Record<string, Description>>;

/** A name is that of one schema: what is inside of it has the same messages wherever it is, except in a union. */
const walked = new Set<string>();

/** Values of the described shape with invalid values at one place, for each place; `definitions` has the named parts. */
function* variantsOf(description: Description, definitions: Definitions, isInUnion = false): Generator {
  const options = optionsOf(description, definitions).map((option) => ({
    ...option,
    types: [option.type ?? []].flat(),
  }));
  yield* valuesOfAllTypes;
  const isUntyped = options.some(({ types, enum: values }) => types.length === 0 && !values);
  const has = (...names: readonly string[]) =>
    isUntyped || options.some(({ types, enum: values }) => !values && types.some((type) => names.includes(type)));
  if (has("string")) {
    yield* texts;
    const bounds = options.map(
      ({ types, maxLength }) => maxLength ?? (isUntyped || types.includes("string") ? longest : 0),
    );
    yield "x".repeat(Math.max(...bounds) + 1);
    // what is larger than all that belongs to it may be
    if (Math.max(...bounds) > 50_000) yield "x".repeat(longest);
  }
  if (has("number", "integer")) yield* numbers;
  if (has("array")) yield* [[null], [1, "x"]];
  if (has("object")) yield { x: 1 };
  const isUnion = isInUnion || options.filter(({ type }) => type !== "null").length > 1;
  for (const option of options) yield* variantsInside(option, definitions, isUnion);
}

function* variantsInside(option: Option, definitions: Definitions, isInUnion: boolean): Generator {
  const { name, properties = {}, additionalProperties, items, maxItems = 5000 } = option;
  if (option.enum) yield option.enum[0];
  if (name && !isInUnion) {
    if (walked.has(name)) return;
    walked.add(name);
  }
  for (const [key, field] of Object.entries(properties)) {
    for (const value of variantsOf(field, definitions, isInUnion)) yield { [key]: value };
  }
  if (typeof additionalProperties === "object") {
    for (const value of variantsOf(additionalProperties, definitions, isInUnion)) yield { "some key": value };
  }
  if (items) {
    const [{ type } = {}] = optionsOf(items, definitions);
    yield Array(maxItems + 1).fill(type === "string" ? "a" : {});
    for (const value of variantsOf(items, definitions, isInUnion)) yield [value];
    // lists that may not name an item twice
    const [{ enum: values } = {}] = optionsOf(items, definitions);
    yield values ? [values[0], values[0]] : ["a", "a"];
  }
}

type Option = Description & { readonly name?: string };

/** What a place may hold, one of these. */
function optionsOf({ $ref, anyOf, ...rest }: Description, definitions: Definitions): readonly Option[] {
  const name = $ref?.slice("#/$defs/".length);
  if (name) return optionsOf(definitions[name]!, definitions).map((option) => ({ ...option, name }));
  const options = (anyOf ?? []).flatMap((option) => optionsOf(option, definitions));
  return anyOf && !rest.properties ? options : [rest, ...options];
}

/** The named parts, at any depth: a description may have some of its own. */
const definitionsIn = (part: unknown): Definitions =>
  typeof part === "object" && part !== null
    ? Object.assign({}, (part as { readonly $defs?: object }).$defs, ...Object.values(part).map(definitionsIn))
    : {};

/** Whole texts with ends before starts, and ids that are used twice. */
const relatedFields = [
  { clips: [{ sceneIndex: 0, position: 2, end: 1 }], texts: [{ text: "x", position: 2, end: 1 }] },
  { images: [{ assetId: "x", position: 2, end: 1 }], options: { targets: ["1:1", "1:1"] } },
  { content: { textOverlays: ["a", "a"].map((id) => ({ id, text: "x", timingMode: "relative" })) } },
  { content: { textOverlays: [{ id: "a", text: "x", timingMode: "absolute", startSeconds: 2, endSeconds: 1 }] } },
  { content: { imageOverlays: [{ id: "a", assetId: "x", timingMode: "relative", startPercent: 50, endPercent: 9 }] } },
  { generatedScenes: [{ sceneIndex: 0 }, { sceneIndex: 0 }], projectId: "proj_1" },
  { scopes: ["works:read", "works:read"] },
];

const libraryWording =
  /invalid|expected|received|too (small|big)|unrecognized|pattern|regex|undefined|\bNaN\b|>=|<=|\\d|\^|\/\w+\/|\bstring|\barray|\bnullable/i;

/** Names in messages that differ from the field's own name. */
const spokenNames: Record<string, string> = {
  email: "e-mail",
  t: "time",
  fps: "frame rate",
  expiresInDays: "lifetime",
};

/** The first word of the last name in a path: `fontSize` is spoken of as "Font size". */
function spokenName(path: string): string {
  const name = path.split(".").findLast((part) => !/^\d+$/.test(part)) ?? "item";
  return (
    spokenNames[name] ??
    name
      .split(/(?=[A-Z])|_/)[0]!
      .replace(/s$/, "")
      .toLowerCase()
  );
}

/** A sentence that begins with a capital letter, names the field and does not repeat the words of the library. */
function isClear(path: string, message: string): boolean {
  // a status of films is called `invalid`
  const wording = message.replace(/must be one of: .*/s, "");
  const isSentence = /^[A-Z].+[^.]\.$/s.test(message) && !libraryWording.test(wording);
  return isSentence && message.toLowerCase().includes(spokenName(path));
}

test.each([...schemas].map(([schema, route]) => [route, schema] as const))(
  "%s explains every invalid value in a sentence that names the field",
  (_, schema) => {
    const description = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Description;
    const unclear = new Set<string>();
    for (const value of [undefined, ...relatedFields, ...variantsOf(description, definitionsIn(description))]) {
      const parsed = parseInput(schema, value);
      if (parsed.success) continue;
      for (const { path, message } of issuesOf(parsed.error)) {
        if (!isClear(path, message)) unclear.add(`${path}: ${message}`);
      }
    }
    expect([...unclear]).toEqual([]);
  },
);

test("the walk finds the schemas of bodies, forms, queries and headers", () => {
  const found = [...schemas.keys()];
  for (const schema of [ExportRequest, NewWork, TemplateChanges, NewAsset, PageQuery, SceneModelHeaders]) {
    expect(found).toContain(schema);
  }
});
