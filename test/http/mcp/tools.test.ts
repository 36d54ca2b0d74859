import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { buildDocument, published } from "../../../src/http/document/build.ts";
import { toolTable } from "../../../src/http/mcp/table.ts";
import { prepareTools } from "../../../src/http/mcp/toolset.ts";
import { firstClient, newClient } from "../../helpers/mcp-clients.ts";
import { testService } from "../../helpers/service.ts";
import { listen } from "../../helpers/uploads.ts";

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

test("a model reads at most 60 KB of arguments and 20 KB of descriptions", () => {
  const sizeOf = (value: unknown) => JSON.stringify(value).length;
  expect(sizeOf(tools.map(({ inputSchema }) => inputSchema))).toBeLessThan(60_000);
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
