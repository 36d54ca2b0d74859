import { expect } from "bun:test";
import { jsonClient } from "../../support/json-client.ts";
import { sharedService } from "../../support/service.ts";
import { formOf, mp4, newProject, png } from "../../support/uploads.ts";
import { requireJson } from "../../support/work-videos.ts";

const longValues = [
  "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz für die Donaudampfschifffahrtsgesellschaft",
  "آلة صنع القهوة الأوتوماتيكية مع رغوة الحليب من الفولاذ المقاوم للصدأ حتى نهاية الشهر الحالي",
];

/** A film, and a copy of a template of the library with a picture in each of its places. */
export async function filmWithLibrary() {
  const service = await sharedService();
  const user = await service.register();
  const ann = jsonClient(user);
  const { templates } = (await ann("GET", "/api/template-library")).body;
  const projectId = await newProject(user);
  const base = `/api/projects/${projectId}`;
  const work = (await ann("POST", `${base}/works`, { name: "Film" })).body;
  const video = formOf({ file: await mp4() });
  await requireJson(user.request(`${base}/works/${work.id}/media/scene/0/video`, { method: "POST", body: video }));
  const image = await requireJson(
    user.request(`${base}/assets`, { method: "POST", body: formOf({ file: png(800, 600) }) }),
  );

  /** The warnings about texts, in every target, of a film whose editor has only this template. */
  async function textWarnings(template: { id: string }, resolution: object, placeholderValues: object) {
    const editorState = {
      editorData: { videoTrack: [{ id: "v", start: 0, end: 6, sceneIndex: 0 }] },
      exportSettings: { ...resolution, fps: 10 },
      // absent ones would stay
      layers: [],
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
      return report.warnings.filter(({ path }: { path: string }) => /^(?:texts|layers)/.test(path));
    });
    return (await Promise.all(found)).flat();
  }

  async function expectInSafeZone(fromLibrary: string): Promise<void> {
    const { slots, placeholders } = templates.find(({ id }: { id: string }) => id === fromLibrary);
    const assets = Object.fromEntries(slots.map(({ name }: { name: string }) => [name, image.id]));
    const copy = await ann("POST", `${base}/templates`, { fromLibrary, assets });
    expect(copy.status).toBe(201);
    const { imageOverlays, layers = [] } = copy.body.content;
    const shown = [...imageOverlays, ...layers.flatMap(({ html = "" }) => html.match(/asset:/g) ?? [])];
    expect(shown).toHaveLength(slots.length);
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
  }

  return { user, ann, templates, base, image, expectInSafeZone };
}
