import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { buildDocument, published } from "../../../src/http/document/build.ts";
import type { ApiDocument } from "../../../src/http/document/types.ts";
import type { JsonSchema } from "../../../src/http/mcp/calls/json-schema.ts";
import { toolTable } from "../../../src/http/mcp/table.ts";
import { prepareTools } from "../../../src/http/mcp/toolset.ts";
import { callTool, failureOf, firstClient, newClient } from "../../helpers/mcp-clients.ts";
import { testService } from "../../helpers/service.ts";
import { listen } from "../../helpers/uploads.ts";
import { newWork } from "../../helpers/work-videos.ts";

const service = await testService();
const ann = await service.register("Ann");
const server = listen(service);
const client = await newClient(server, ann.accessToken);
afterAll(async () => {
  await client.close();
  server.stop();
  await service.close();
});

const { tools } = await client.listTools();
const prepared = prepareTools(published(await buildDocument(service.app)));

test("both protocols list the same tools, in one order", async () => {
  const first = await firstClient(server, ann.accessToken);
  const listed = (await first.listTools()).tools;
  expect(listed.map(({ name }) => name)).toEqual([...prepared.keys()]);
  expect(JSON.parse(JSON.stringify(listed))).toEqual(JSON.parse(JSON.stringify(tools)));
  await first.close();
});

test("each tool has a title, sentences that say when to use it, and closed arguments without references", () => {
  for (const { name, title, description = "", inputSchema, outputSchema } of tools) {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect([name, title]).toEqual([name, expect.stringMatching(/^[A-Z]/)]);
    expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Z].*\.$/)]);
    expect([name, inputSchema.additionalProperties]).toEqual([name, false]);
    expect(JSON.stringify([inputSchema, outputSchema])).not.toContain("$ref");
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    expect([name, ajv.validateSchema(inputSchema), outputSchema && ajv.validateSchema(outputSchema)]).toEqual([
      name,
      true,
      outputSchema && true,
    ]);
    for (const required of inputSchema.required ?? []) expect(Object.keys(inputSchema.properties!)).toContain(required);
  }
});

test("only what deletes is destructive, and what reads says so", () => {
  const named = (hint: "destructiveHint" | "readOnlyHint") =>
    tools.filter(({ annotations }) => annotations?.[hint]).map(({ name }) => name);

  expect(named("destructiveHint")).toEqual([
    "projects_delete",
    "works_delete",
    "assets_delete",
    "templates_delete",
    "export_cancel",
  ]);
  expect(named("readOnlyHint").filter((name) => !/_(list|get)$/.test(name))).toEqual([
    "export_validate",
    "export_frame",
    "contact_sheet",
    "captions_make",
    "export_status",
  ]);
});

/** The names of the fields of a body, whichever of its choices they belong to. */
function fieldNames(document: ApiDocument, schema: JsonSchema): readonly string[] {
  const { properties = {}, anyOf = [], oneOf = [], allOf = [], $ref } = schema as Record<string, never>;
  const component = $ref && (document.components.schemas as Record<string, JsonSchema>)[`${$ref}`.split("/").at(-1)!];
  const inner = [...anyOf, ...oneOf, ...allOf, ...(component ? [component] : [])];
  return [...Object.keys(properties), ...inner.flatMap((part) => fieldNames(document, part))];
}

test("each tool takes every field of its route, except those that it leaves out on purpose", async () => {
  const document = published(await buildDocument(service.app));
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  for (const { tool, listed } of prepared.values()) {
    const { parameters = [], requestBody } = operations.find(({ operationId }) => operationId === tool.operation)!;
    const content = requestBody && "content" in requestBody ? requestBody.content : {};
    const body = content["application/json"]?.schema as JsonSchema | undefined;
    const form = content["multipart/form-data"]?.schema as JsonSchema | undefined;
    const names = [
      ...parameters
        .filter((parameter) => parameter.in !== "header" && parameter.name !== "token")
        .map(({ name }) => name),
      ...(body ? fieldNames(document, body) : []),
      // the file comes from another argument
      ...(form && !body ? fieldNames(document, form).filter((name) => name !== "file" && name !== "video") : []),
    ];
    const missing = names.filter((name) => !(name in listed.inputSchema.properties!) && !tool.omit?.includes(name));
    expect([tool.name, missing]).toEqual([tool.name, []]);
  }
});

test("a template is made by its content, and from the library", async () => {
  const { projectId } = await newWork(ann);
  const content = { textOverlays: [{ id: "a", text: "{{price}}", timingMode: "relative" }] };
  const own = await callTool(client, "templates_create", { projectId, name: "Mine", content });
  expect(own.content.textOverlays[0].text).toBe("{{price}}");
  const copy = await callTool(client, "templates_create", { projectId, fromLibrary: "price-tag" });
  expect([own.name, copy.content.textOverlays.length > 0]).toEqual(["Mine", true]);
  expect((await callTool(client, "templates_list", { projectId })).templates).toHaveLength(2);
  expect(await failureOf(client, "templates_create", { projectId, name: "Mine" })).toStartWith("validation_error: ");
});

test("a model reads at most 70 KB of arguments and 20 KB of descriptions", () => {
  const sizeOf = (value: unknown) => JSON.stringify(value).length;
  expect(sizeOf(tools.map(({ inputSchema }) => inputSchema))).toBeLessThan(70_000);
  expect(sizeOf(tools.map(({ description }) => description))).toBeLessThan(20_000);
});

test("arguments of a scene's models are named by their category, and no key is needed", () => {
  const { inputSchema } = tools.find(({ name }) => name === "works_generate_scene")!;
  expect(Object.keys(inputSchema.properties!)).toEqual([
    "force",
    "projectId",
    "workId",
    "sceneIndex",
    "imageProvider",
    "imageModel",
    "imageApiKey",
    "videoProvider",
    "videoModel",
    "videoApiKey",
    "model",
    "apiKey",
    "requestId",
  ]);
  expect(inputSchema.required).toEqual(["projectId", "workId", "sceneIndex"]);
});

test("the guide and the reference can be read, and the instructions name only tools that exist", async () => {
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(["reelwright://guide", "reelwright://reference"]);
  const texts = await Promise.all(
    resources.map(async ({ uri }) => {
      const [content] = (await client.readResource({ uri })).contents as { text: string }[];
      return content!.text;
    }),
  );
  const groups = new Set(tools.map(({ name }) => name.split("_")[0]));
  const words = `${client.getInstructions()} ${texts[0]}`.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [];
  const mentioned = new Set(words.filter((word) => groups.has(word.split("_")[0])));
  expect([...mentioned].filter((name) => !prepared.has(name))).toEqual([]);
  expect(texts[1]).toContain("generateScene");
});

test("docs/mcp.md has the current table of tools", async () => {
  const page = await Bun.file(join(import.meta.dir, "../../../docs/mcp.md")).text();
  expect(page).toContain(toolTable(prepared));
});
