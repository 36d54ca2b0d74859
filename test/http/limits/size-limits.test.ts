import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { newId } from "../../../src/domain/shared/ids.ts";
import { projects as projectRows } from "../../../src/storage/tables/projects.ts";
import { type JsonResponse, jsonClient } from "../../support/json-client.ts";
import { sharedService } from "../../support/service.ts";

const service = await sharedService();

const annUser = await service.register("Ann");
const ann = jsonClient(annUser);
const project = (await ann("POST", "/api/projects", { name: "P" })).body;
const templates = `/api/projects/${project.id}/templates`;
const works = `/api/projects/${project.id}/works`;

const kibibyte = 1024;
const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Calls `make` with a text of such a length that its result has exactly this many bytes as JSON. */
function ofBytes<Value>(bytes: number, make: (text: string) => Value, character = "x"): Value {
  const room = bytes - jsonBytes(make(""));
  const unit = jsonBytes(character) - jsonBytes("");
  return make(character.repeat(Math.floor(room / unit)) + "x".repeat(room % unit));
}

/** Sends a field with as many bytes as its limit, and with one more, which must be 400 and name the field. */
async function expectLimit(path: string, bytes: number, send: (bytes: number) => Promise<JsonResponse>, success = 201) {
  expect((await send(bytes)).status).toBe(success);
  const { status, body } = await send(bytes + 1);
  expect([status, body.code, body.details[0].path]).toEqual([400, "validation_error", path]);
}

const styleGuide = (bytes: number, character?: string) => ofBytes(bytes, (note) => ({ tone: "dry", note }), character);

test.each(["x", "é", "日", "😀", '"', "\n"])(
  "a style guide may have 256 KiB of JSON in UTF-8: %j",
  async (character) => {
    await expectLimit("styleGuide", 256 * kibibyte, (bytes) =>
      ann("POST", "/api/projects", { name: "x", styleGuide: styleGuide(bytes, character) }),
    );
  },
);

test("a style guide of many allowed phrases is limited as a whole", async () => {
  const phrases = Array.from({ length: 200 }, () => "x".repeat(2000));
  const { status, body } = await ann("PUT", `/api/projects/${project.id}`, { styleGuide: { must_avoid: phrases } });

  expect([status, body.details[0].path]).toEqual([400, "styleGuide"]);
});

test.each([
  ["/api/scenario", { intent: { mode: "style_transfer", product_name: "Mug" } }],
  ["/api/generate/image", { prompt: "A mug", resolution: { width: 64, height: 64 } }],
])("the style guide of %s has the same limit", async (path, fields) => {
  await expectLimit(
    "styleGuide",
    256 * kibibyte,
    (bytes) => ann("POST", path, { ...fields, styleGuide: styleGuide(bytes) }),
    200,
  );
});

test("knowledge may have 256 KiB in UTF-8", async () => {
  const text = (bytes: number) => "é".repeat(Math.floor(bytes / 2)) + "x".repeat(bytes % 2);
  await expectLimit("knowledge", 256 * kibibyte, (bytes) =>
    ann("POST", "/api/projects", { name: "x", knowledge: text(bytes) }),
  );
});

test("the longest prompts fit into 256 KiB", async () => {
  const longest = "😀".repeat(50_000);
  const names = ["systemPrompt", "analyzerPrompt", "imageSystemPrompt", "videoSystemPrompt"];
  for (const path of names) {
    expect((await ann("PUT", `/api/projects/${project.id}`, { [path]: longest })).status).toBe(200);
    const { status, body } = await ann("PUT", `/api/projects/${project.id}`, { [path]: `${longest}x` });
    expect([status, body.details[0].path]).toEqual([400, path]);
  }
});

const text = { id: "a", timingMode: "relative" };

test("a template's content may have 256 KiB with its defaults, and can be sent back as it was read", async () => {
  const contentOf = (bytes: number) => {
    const complete = { fontSize: 32, fontColor: "#ffffff", centerX: 0, centerY: 0 };
    const make = (words: string) => ({ textOverlays: [{ ...text, ...complete, text: words }], imageOverlays: [] });
    return ofBytes(bytes, make);
  };
  await expectLimit("content", 256 * kibibyte, (bytes) =>
    ann("POST", templates, { name: "T", content: contentOf(bytes) }),
  );

  const { id, content } = (await ann("POST", templates, { name: "T", content: contentOf(256 * kibibyte) })).body;
  expect((await ann("PUT", `${templates}/${id}`, { content })).status).toBe(200);
});

test("the defaults that a template's content gets count too", async () => {
  const bare = { ...text, text: "x".repeat(256 * kibibyte - 120) };
  const { status, body } = await ann("POST", templates, { name: "T", content: { textOverlays: [bare] } });

  expect([status, body.details[0].path]).toEqual([400, "content"]);
});

test("an editor state may have 2 MiB", async () => {
  await expectLimit("editorState", 2048 * kibibyte, (bytes) =>
    ann("POST", works, { editorState: ofBytes(bytes, (note) => ({ audioVolume: 1, note })) }),
  );
});

test("the scenes of a work may have 2 MiB", async () => {
  const scene = { scene_index: 0, duration_seconds: 1, image_prompt: "", negative_prompt: "", video_prompt: "" };
  const scenes = (bytes: number) => ofBytes(bytes, (note) => [{ ...scene, transition: "cut", note }]);
  await expectLimit("scenes", 2048 * kibibyte, (bytes) => ann("POST", works, { scenes: scenes(bytes) }));
});

test("a template whose values make the editor state larger than 2 MiB is rejected and changes nothing", async () => {
  const content = { textOverlays: [{ ...text, text: "{{a}}".repeat(30) }] };
  const template = (await ann("POST", templates, { name: "T", content })).body;
  const work = (await ann("POST", works, { videoDuration: 8 })).body;
  const apply = (characters: number) =>
    ann("POST", `${works}/${work.id}/apply-template`, {
      templateId: template.id,
      placeholderValues: { a: "x".repeat(characters) },
    });

  const { status, body } = await apply(80_000);

  expect([status, body.code, body.details[0].path]).toEqual([400, "validation_error", "editorState"]);
  expect((await ann("GET", `${works}/${work.id}`)).body).toEqual(work);
  expect((await apply(60_000)).status).toBe(200);
});

test("data that was stored before these limits stays readable and changeable", async () => {
  const large = { note: "x".repeat(3_000_000) };
  const now = Date.now();
  const stored = await service.services.projects.add({
    ...project,
    id: newId("proj"),
    styleGuide: large,
    revision: 1,
    createdAt: now,
    updatedAt: now,
  });

  const found = await ann("GET", `/api/projects/${stored.id}`);
  expect([found.status, found.body.styleGuide]).toEqual([200, large]);
  const renamed = await ann("PUT", `/api/projects/${stored.id}`, { name: "New" });
  expect([renamed.status, renamed.body.styleGuide]).toEqual([200, large]);
});

test("a style guide and knowledge that are larger than a later bound are saved again as they were read", async () => {
  const { id } = (await ann("POST", "/api/projects", { name: "Old" })).body;
  const old = { styleGuide: styleGuide(300 * kibibyte), knowledge: "日".repeat(100_000) };
  await service.db.update(projectRows).set(old).where(eq(projectRows.id, id));
  const path = `/api/projects/${id}`;
  expect((await ann("PUT", path, (await ann("GET", path)).body)).status).toBe(200);
  expect((await ann("PUT", path, { styleGuide: styleGuide(300 * kibibyte + 1) })).status).toBe(400);
  expect((await ann("PUT", path, { knowledge: `${old.knowledge}日` })).status).toBe(400);
});
