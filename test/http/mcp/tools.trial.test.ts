import { afterAll, expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { buildDocument, published } from "../../../src/http/document/build.ts";
import type { ApiDocument } from "../../../src/http/document/types.ts";
import type { JsonSchema } from "../../../src/http/mcp/calls/json-schema.ts";
import { prepareTools } from "../../../src/http/mcp/toolset.ts";
import { callTool, failureOf, firstClient, newClient } from "../../support/mcp-clients.ts";
import { sharedService } from "../../support/service.ts";
import { listen } from "../../support/uploads.ts";
import { newWork } from "../../support/work-videos.ts";

const service = await sharedService();
const ann = await service.register("Ann");
const server = listen(service);
const client = await newClient(server, ann.accessToken);
afterAll(async () => {
  await client.close();
  server.stop();
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
    "assets_beats",
    "stock_search",
    "export_validate",
    "export_frame",
    "contact_sheet",
    "captions_make",
    "export_status",
    "export_check",
    "export_provenance",
    "export_deliveries",
    "film_estimate",
    "film_status",
    "batch_validate",
    "batch_status",
    "batch_films",
    "get_adcp_capabilities",
    "list_creative_formats",
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
    // another protocol's arguments are its own
    if (tool.input) continue;
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

/** Operations without a tool, by the reason. */
const withoutTool = {
  "an account is its owner's": [
    ...[
      "register",
      "login",
      "logout",
      "logoutEverywhere",
      "refreshTokens",
      "changePassword",
      "getMe",
      "updateMe",
      "deleteMe",
    ],
    ...["listSessions", "endSession", "getSession", "openPageSession", "closePageSession"],
    ...["createToken", "listTokens", "revokeToken", "getStorage"],
    ...["listProviderKeys", "keepProviderKey", "forgetProviderKey"],
  ],
  "a file, which a result links to": [
    ...[
      "downloadAsset",
      "getAssetThumbnail",
      "getWaveform",
      "downloadExport",
      "downloadFilm",
      "downloadPoster",
      "downloadGeneratedMedia",
    ],
    ...[
      "downloadSrt",
      "downloadVtt",
      "getTemplateThumbnail",
      "getLibraryThumbnail",
      "getLibraryPreview",
      "previewTemplate",
    ],
    ...["readFilmValue", "exportTemplate", "importTemplate", "importOtio"],
    // export_start does it, with gate
    "checkExport",
    ...["downloadOtio", "downloadFcpxml", "downloadEdl", "downloadTimeline"],
    ...["downloadBatch", "getBatchManifest", "getBatchManifestCsv"],
  ],
  "another tool does it": [
    ...[
      "exportVideo",
      "followExport",
      "followFilm",
      "followBatch",
      "rejectBatchFilm",
      "listExports",
      "retryDelivery",
      "getDestination",
      "extractStyleGuideFromPage",
      "getLibraryTemplate",
    ],
    ...["copyFilm", "renderWorkFrame", "renderWorkContactSheet", "updateAsset", "uploadSceneVideo", "uploadSceneVoice"],
  ],
  "for players, which show it": [
    ...["previewExport", "previewWork", "readPreviewInit", "readPreviewSegment", "readPreviewSound"],
  ],
  "for operators and programs": [
    ...["getHealth", "getReadiness", "getDocument", "getWebhook", "replayWebhook", "getOperation", "deleteOperation"],
  ],
  "works_set_scene_media replaces the files of scenes; the others are an editor's": [
    ...["ReferenceVideo", "SceneImage", "SceneVideo", "SceneVoice", "WorkAudio", "WorkVoice"].flatMap((file) => [
      `download${file}`,
      `delete${file}`,
    ]),
    ...["uploadReferenceVideo", "uploadWorkAudio", "uploadWorkVoice"],
  ],
  "a person shows a film to others, and reads what they say": [
    ...["createReview", "listReviews", "revokeReview", "listComments", "resolveComment", "deleteComment"],
    "replyToComment",
    ...["openReview", "watchReview", "addComment", "approveReview"],
  ],
  "a person stores credentials": ["putDestination", "deleteDestination"],
  "a picture for people": ["getLookPreview", "getMotionPreview"],
  "a sound for people": ["getBedPreview", "getBedSound", "getEffectSound", "listEffects"],
  "the order of a film with an unknown look or bed is answered with their names": ["listLooks", "listBeds"],
  "files of a designer, whom the command line and the studio serve": [
    ...["listProjectLooks", "uploadLook", "previewLook", "getProjectLookPreview", "removeLook"],
  ],
  "an editor's history, which a person looks at": ["listWorkVersions", "renderWorkVersion", "restoreWorkVersion"],
  "removes what was paid or bounds it": ["deleteFilm", "deleteBudget", "deleteBatch"],
};

test("each route has a tool, or a reason to have none", async () => {
  const document = published(await buildDocument(service.app));
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const used = new Set([...prepared.values()].map(({ tool }) => tool.operation));
  const lacking = operations.map(({ operationId = "" }) => operationId).filter((id) => !used.has(id));
  expect(lacking.sort()).toEqual(Object.values(withoutTool).flat().sort());
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

test("a model reads at most 90 KB of arguments and 22 KB of descriptions", () => {
  const sizeOf = (value: unknown) => JSON.stringify(value).length;
  expect(sizeOf(tools.map(({ inputSchema }) => inputSchema))).toBeLessThan(90_000);
  expect(sizeOf(tools.map(({ description }) => description))).toBeLessThan(22_000);
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

test("a long field is left as it is where a client sent text that looks like it", async () => {
  const id = '"tools":[] "text":""';
  const accept = "application/json, text/event-stream";
  const send = async (method: string, params: object) => {
    const response = await ann.json("POST", "/mcp", { jsonrpc: "2.0", id, method, params }, { accept });
    return JSON.parse((await response.text()).replace(/^event: message\ndata: /, ""));
  };
  const listed = await send("tools/list", {});
  expect([listed.id, listed.result.tools.length]).toEqual([id, tools.length]);
  const uri = "reelwright://guide";
  const read = await send("resources/read", { uri });
  expect([read.id, read.result.contents[0].uri, read.result.contents[0].text]).toEqual([
    id,
    uri,
    expect.stringContaining("# How to make a video"),
  ]);
  for (const params of [{ uri: `${uri}?"text":""` }, {}, null]) {
    expect((await send("resources/read", params as object)).error.code).toBeNumber();
  }
});

test("a film is ordered by a tool, and followed to its end or to what it waits for", async () => {
  const { projectId } = await newWork(ann);
  const order = { projectId, brief: { text: "Cup: it keeps warm." }, seconds: 3, scenes: 1, stopAt: ["scenario"] };
  const estimate = await callTool(client, "film_estimate", order);
  expect(estimate.estimate.high).toBe("0.00");
  const film = await callTool(client, "film_order", { ...order, resolution: { width: 90, height: 160 } });
  const ids = { projectId, filmId: film.id };
  const rested = async () => {
    for (;;) {
      const found = await callTool(client, "film_status", ids);
      if (found.status !== "queued" && found.status !== "running") return found;
      await Bun.sleep(20);
    }
  };
  expect(await rested()).toMatchObject({ waitingFor: "approval", waitingAt: "scenario" });
  await callTool(client, "film_approve", ids);
  expect(await rested()).toMatchObject({ status: "done", files: [{ url: expect.stringContaining("http") }] });
  expect((await callTool(client, "film_list", { projectId })).films).toMatchObject([{ id: film.id }]);
  expect((await callTool(client, "budget_set", { projectId, limit: "5", period: "total" })).limit).toBe("5.00");
  expect((await callTool(client, "spend_list", {})).total).toBe("0.00");
});
