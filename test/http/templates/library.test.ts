import { expect, test } from "bun:test";
import { loadImage } from "@napi-rs/canvas";
import { jsonClient } from "../../support/json-client.ts";
import { sharedService } from "../../support/service.ts";
import { formOf, mp4, newProject, png } from "../../support/uploads.ts";
import { requireJson } from "../../support/work-videos.ts";

const service = await sharedService();
const user = await service.register();
const ann = jsonClient(user);
const { templates } = (await ann("GET", "/api/template-library")).body;
const projectId = await newProject(user);
const base = `/api/projects/${projectId}`;

const longValues = [
  "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz für die Donaudampfschifffahrtsgesellschaft",
  "آلة صنع القهوة الأوتوماتيكية مع رغوة الحليب من الفولاذ المقاوم للصدأ حتى نهاية الشهر الحالي",
];

test("there are eight templates, each with an example for every placeholder of its texts", async () => {
  expect(templates.map(({ id }: { id: string }) => id)).toEqual([
    "lower-third",
    "price-tag",
    "end-card",
    "quote",
    "countdown",
    "before-after",
    "list",
    "logo-sting",
  ]);
  for (const { id, placeholders } of templates) {
    const { status, body } = await ann("GET", `/api/template-library/${id}`);
    expect(status).toBe(200);
    const texts = body.content.textOverlays.map(({ text }: { text: string }) => text).join(" ");
    const keys = [...texts.matchAll(/\{\{(\w+)\}\}/g)].map(([, key]) => key);
    expect(new Set(keys)).toEqual(new Set(placeholders.map(({ key }: { key: string }) => key)));
    for (const { example, description } of placeholders) expect([example, description]).not.toContain("");
  }
  expect((await ann("GET", "/api/template-library/none")).status).toBe(404);
});

test("each template has a picture for each aspect ratio", async () => {
  for (const { previews } of templates) {
    const sizes = Object.values<string>(previews).map(async (url) => {
      const response = await user.request(url);
      const { width, height } = await loadImage(await response.bytes());
      return [response.status, width, height];
    });
    expect(await Promise.all(sizes)).toEqual([
      [200, 270, 480],
      [200, 480, 480],
      [200, 480, 270],
    ]);
  }
  expect((await ann("GET", "/api/template-library/quote/thumbnail?aspect=2:1")).status).toBe(400);
});

const work = (await ann("POST", `${base}/works`, { name: "Film" })).body;
const video = await mp4();
await requireJson(
  user.request(`${base}/works/${work.id}/media/scene/0/video`, { method: "POST", body: formOf({ file: video }) }),
);
const image = await requireJson(
  user.request(`${base}/assets`, { method: "POST", body: formOf({ file: png(800, 600) }) }),
);

/** The warnings about texts, in every target, of a film whose editor has only this template. */
async function textWarnings(template: { id: string }, resolution: object, placeholderValues: object) {
  const editorState = {
    editorData: { videoTrack: [{ id: "v", start: 0, end: 6, sceneIndex: 0 }] },
    exportSettings: { ...resolution, fps: 10 },
  };
  await ann("PUT", `${base}/works/${work.id}`, { videoDuration: 6, resolution, editorState });
  const body = { templateId: template.id, placeholderValues };
  const applied = await ann("POST", `${base}/works/${work.id}/apply-template`, body);
  expect([applied.status, applied.body.missingAssetIds]).toEqual([200, []]);
  const targets = [undefined, ["9:16", "1:1", "16:9"]];
  const found = targets.map(async (names) => {
    const request = { projectId, workId: work.id, options: { targets: names } };
    const { body: report } = await ann("POST", "/api/export/validate", request);
    expect(report.errors).toEqual([]);
    return report.warnings.filter(({ path }: { path: string }) => path.startsWith("texts"));
  });
  return (await Promise.all(found)).flat();
}

test.each(templates.map(({ id }: { id: string }) => id) as string[])(
  "%s stays in the safe zone of every frame, whatever its values are",
  async (fromLibrary) => {
    const { slots, placeholders } = templates.find(({ id }: { id: string }) => id === fromLibrary);
    const assets = Object.fromEntries(slots.map(({ name }: { name: string }) => [name, image.id]));
    const copy = await ann("POST", `${base}/templates`, { fromLibrary, assets });
    expect(copy.status).toBe(201);
    expect(copy.body.content.imageOverlays).toHaveLength(slots.length);
    const valuesOf = (value: string) =>
      Object.fromEntries(placeholders.map(({ key }: { key: string }) => [key, value]));
    for (const value of longValues) {
      for (const resolution of [
        { width: 1080, height: 1920 },
        { width: 1280, height: 720 },
      ]) {
        expect(await textWarnings(copy.body, resolution, valuesOf(value))).toEqual([]);
      }
    }
  },
);

test("a copy has the name, the colors and the direction of the request", async () => {
  const palette = { primary: "#ffffff", accent: "navy" };
  const { body } = await ann("POST", `${base}/templates`, { fromLibrary: "lower-third", name: "Names", palette });
  expect([body.name, body.tags]).toEqual(["Names", ["name", "title"]]);
  const [name, role] = body.content.textOverlays;
  expect([name.background, name.fontColor, role.background, role.fontColor]).toEqual([
    "#ffffff",
    "#10151c",
    "navy",
    "#ffffff",
  ]);
  const rightToLeft = { fromLibrary: "lower-third", direction: "rtl" };
  const mirrored = (await ann("POST", `${base}/templates`, rightToLeft)).body.content.textOverlays[0];
  expect(mirrored.align).toBe("right");
  expect(mirrored.centerX).toBeGreaterThan(name.centerX);
});

test("an unknown template, place, image or color is refused", async () => {
  for (const [body, path] of [
    [{ fromLibrary: "none" }, "fromLibrary"],
    [{ fromLibrary: "quote", assets: { logo: image.id } }, "assets.logo"],
    [{ fromLibrary: "logo-sting", assets: { logo: "asset_1" } }, "assets.logo"],
    [{ fromLibrary: "quote", palette: { accent: "reddish" } }, "palette.accent"],
  ] as const) {
    const answer = await ann("POST", `${base}/templates`, body);
    expect([answer.status, answer.body.details[0].path]).toEqual([400, path]);
  }
});

test("a body without fromLibrary still needs a name and content", async () => {
  const { status, body } = await ann("POST", `${base}/templates`, {});
  expect([status, body.details.map(({ path }: { path: string }) => path)]).toEqual([400, ["name", "content"]]);
});
