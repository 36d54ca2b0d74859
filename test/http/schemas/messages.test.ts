import { expect, test } from "bun:test";
import { z } from "zod";
import { createApp } from "../../../src/app.ts";
import { ExportRequest } from "../../../src/domain/exports/schema.ts";
import type { Services } from "../../../src/domain/services.ts";
import { issuesOf, parseInput } from "../../../src/domain/shared/validation.ts";
import { noTelemetry } from "../../../src/domain/telemetry/telemetry.ts";
import { SceneModelHeaders } from "../../../src/http/ai/model-headers.ts";
import { NewAsset } from "../../../src/http/assets/schemas.ts";
import { inputOf } from "../../../src/http/openapi.ts";
import { PageQuery } from "../../../src/http/schemas/common.ts";
import { NewTemplate, TemplateChanges } from "../../../src/http/templates/schemas.ts";
import { NewWork } from "../../../src/http/works/schemas.ts";

// safe because no request is sent: the route table alone is read
const app = createApp({ telemetry: noTelemetry, settings: {} } as Services);
// a template's body is one of two schemas, of which a union would tell only the last
const schemas = new Map<z.ZodType, string>([[NewTemplate, "NewTemplate"]]);
for (const { handler, method, path } of app.routes) {
  const schema = inputOf(handler);
  if (schema && !schemas.has(schema)) schemas.set(schema, `${method} ${path}`);
}

const invalidValues = [
  ...[null, true, "", " ", "NaN", "x".repeat(600_000), "2020-01-01", {}, [], [null], [1, "x"], { x: 1 }],
  ...[0, -1, 1, 17, 0.001, 1.5, 1e9, -1e9, 1e300, Number.NaN, Number.POSITIVE_INFINITY],
];
const longList = Array(5001).fill(null);

type Description = {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Description>>;
  readonly additionalProperties?: Description | boolean;
  readonly items?: Description;
  readonly anyOf?: readonly Description[];
  readonly enum?: readonly unknown[];
};

type Definitions = Readonly<Record<string, Description>>;

/** Values of the described shape with invalid values at one place, for each place; `definitions` has the named parts. */
function* variantsOf(description: Description, definitions: Definitions): Generator {
  const { properties = {}, additionalProperties, items, anyOf = [], ...rest } = definitionOf(description, definitions);
  yield* invalidValues;
  for (const [name, field] of Object.entries(properties)) {
    for (const value of variantsOf(field, definitions)) yield { [name]: value };
  }
  if (typeof additionalProperties === "object") {
    for (const value of variantsOf(additionalProperties, definitions)) yield { "some key": value };
  }
  if (items) {
    yield longList;
    for (const value of variantsOf(items, definitions)) yield [value];
    // lists that may not name an item twice
    yield items.enum ? [items.enum[0], items.enum[0]] : ["a", "a"];
  }
  for (const option of anyOf) yield* variantsOf(option, definitions);
  if (rest.enum) yield rest.enum[0];
}

/** The named parts, at any depth: a description may have some of its own. */
const definitionsIn = (part: unknown): Definitions =>
  typeof part === "object" && part !== null
    ? Object.assign({}, (part as { readonly $defs?: object }).$defs, ...Object.values(part).map(definitionsIn))
    : {};

const definitionOf = (description: Description, definitions: Definitions): Description =>
  description.$ref ? definitions[description.$ref.slice("#/$defs/".length)]! : description;

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

test.each([...schemas].map(([schema, route]) => [route, schema] as const))(
  "%s explains every invalid value in a sentence that names the field",
  (_, schema) => {
    const description = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Description;
    const seen = new Set<string>();
    for (const value of [undefined, ...relatedFields, ...variantsOf(description, definitionsIn(description))]) {
      const parsed = parseInput(schema, value);
      if (parsed.success) continue;
      for (const { path, message } of issuesOf(parsed.error)) {
        if (seen.has(`${path} ${message}`)) continue;
        seen.add(`${path} ${message}`);
        expect({ path, message }).toEqual({ path, message: expect.stringMatching(/^[A-Z].+[^.]\.$/s) });
        // a status of films is called `invalid`
        const wording = message.replace(/must be one of: .*/s, "");
        expect({ path, wording }).toEqual({ path, wording: expect.not.stringMatching(libraryWording) });
        expect([path, message.toLowerCase()]).toEqual([path, expect.stringContaining(spokenName(path))]);
      }
    }
  },
);

test("the walk finds the schemas of bodies, forms, queries and headers", () => {
  const found = [...schemas.keys()];
  for (const schema of [ExportRequest, NewWork, TemplateChanges, NewAsset, PageQuery, SceneModelHeaders]) {
    expect(found).toContain(schema);
  }
});
