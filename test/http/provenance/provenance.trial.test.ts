import { afterAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { boxesIn } from "../../../src/engine/mp4/boxes.ts";
import { eventsOf } from "../../support/events.ts";
import { everyFrame, runFfmpeg, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { testService } from "../../support/service.ts";
import { verify } from "../../support/signed-files.ts";
import { png } from "../../support/uploads.ts";
import { newWork, requireJson, saveResponse } from "../../support/work-videos.ts";

const [ffmpeg] = testedFfmpegs;
const service = await testService();
const silent = await testService({ PROVENANCE: "off" });
const folder = await temporaryFolder();

afterAll(async () => {
  await service.close();
  await silent.close();
  await rm(folder, { recursive: true, force: true });
});

/** A film of a scene that `local` draws, an uploaded image, and a picture over both. */
async function film(ann: Awaited<ReturnType<typeof service.register>>) {
  const work = await newWork(ann, { name: "Secret name" });
  const scenes = [{ image_prompt: "A cup", duration_seconds: 1 }];
  await requireJson(ann.json("PUT", work.base, { scenes }));
  await requireJson(ann.json("POST", `${work.base}/generate/scene/0`));
  await work.image(1, png(90, 60));
  const { id: assetId } = await work.asset(png(20, 20));
  return {
    projectId: work.projectId,
    workId: work.workId,
    clips: [
      { sceneIndex: 0, position: 0, end: 0.5 },
      { sceneIndex: 1, position: 0.5, end: 1 },
    ],
    images: [{ assetId, position: 0, end: 1, x: 0, y: 0 }],
    options: { width: 64, height: 64, fps: 30, quality: "draft" },
  };
}

const ann = await service.register("Ann");
const request = await film(ann);
const exported = await saveResponse(folder, await ann.json("POST", "/api/export", request));

test("another implementation finds the manifest of an export valid, of an unknown signer, with each file and its source", async () => {
  const report = await verify(exported);
  expect(report.validation_state).toBe("Valid");
  expect(report.validation_status.map(({ code }) => code)).toEqual(["signingCredential.untrusted"]);
  const { assertions, ingredients } = report.manifests[report.active_manifest]!;
  const iptc = "http://cv.iptc.org/newscodes/digitalsourcetype";
  const local = {
    digitalSourceType: `${iptc}/algorithmicMedia`,
    softwareAgent: { name: expect.stringContaining("local") },
  };
  expect(assertions.find(({ label }) => label === "c2pa.actions.v2")!.data.actions).toMatchObject([
    { action: "c2pa.created", digitalSourceType: `${iptc}/composite` },
    { action: "c2pa.placed", ...local },
    { action: "app.reelwright.used", ...local },
    { action: "c2pa.placed" },
    { action: "c2pa.placed" },
  ]);
  expect(ingredients).toMatchObject([
    { title: "Scene 1, clip", relationship: "componentOf" },
    { title: "Scene 1, image", relationship: "inputTo" },
    { title: "Scene 2, clip" },
    { title: "Image" },
  ]);
  expect(JSON.stringify(report)).not.toContain("Secret");
});

test("an equal request gives equal bytes, and a changed byte anywhere but in the first box is found", async () => {
  const again = await saveResponse(folder, await ann.json("POST", "/api/export", request));
  const bytes = Buffer.from(await Bun.file(exported).bytes());
  expect(bytes.equals(Buffer.from(await Bun.file(again).bytes()))).toBe(true);
  const moov = bytes.indexOf("moov");
  for (const at of [
    bytes.indexOf("c2pa.claim") - 200,
    moov + 30,
    Math.round((moov + bytes.length) / 2),
    bytes.length - 1,
  ]) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    const path = `${folder}/changed-${at}.mp4`;
    await Bun.write(path, changed);
    expect(
      await verify(path).then(
        ({ validation_state }) => validation_state,
        () => "unreadable",
      ),
    ).not.toBe("Valid");
  }
});

const boxTypes = async (path: string) =>
  [...boxesIn(Buffer.from(await Bun.file(path).bytes()))].map(({ type }) => type);

async function decoded(path: string): Promise<string> {
  const output = await runFfmpeg(ffmpeg!, ["-i", path, ...(await everyFrame(ffmpeg!)), "-f", "framemd5", "-"]);
  return createHash("sha256").update(output).digest("hex");
}

test("without provenance there is no box, and every frame and sample is equal", async () => {
  const bob = await silent.register("Bob");
  const plain = await saveResponse(folder, await bob.json("POST", "/api/export", await film(bob)));
  expect(await boxTypes(plain)).toEqual(["ftyp", "moov", "mdat"]);
  expect(await boxTypes(exported)).toEqual(["ftyp", "uuid", "moov", "mdat"]);
  expect(await decoded(plain)).toBe(await decoded(exported));
});

test("an export says as JSON what its manifest says, and what it is as a value", async () => {
  const { exports } = await requireJson(ann.request("/api/exports"));
  const [{ id }] = exports;
  const provenance = await requireJson(ann.request(`/api/exports/${id}/provenance`));
  expect(provenance).toMatchObject({
    digitalSourceType: "composite",
    hasGeneratedParts: false,
    models: [],
    ingredients: [
      { role: "clip", sceneIndex: 0, digitalSourceType: "algorithmicMedia", model: { provider: "local" } },
      { role: "sceneImage", sceneIndex: 0 },
      { role: "clip", sceneIndex: 1 },
      { role: "image" },
    ],
    signature: { algorithm: "Ed25519", isLocal: true },
  });
  expect(provenance.ingredients[2].digitalSourceType).toBeUndefined();

  const value = await requireJson(ann.request(`/api/exports/${id}/film.json`));
  expect(value.inputs).toEqual({
    "clips.0": provenance.ingredients[0].sha256,
    "clips.1": provenance.ingredients[2].sha256,
    "images.0": provenance.ingredients[3].sha256,
  });
  const other = await requireJson(ann.request(`/api/exports/${exports[1].id}/film.json`));
  expect(other).toEqual(value);

  const stranger = await service.register("Stranger");
  expect((await stranger.request(`/api/exports/${id}/provenance`)).status).toBe(404);
});

test("a film with captions is the same in a work of another language, because its value names the language", async () => {
  const valueIn = async (language: string, captions: object) => {
    const work = await newWork(ann, { language });
    await work.image(0, png(90, 60));
    const clips = [{ sceneIndex: 0, position: 0, end: 1 }];
    const sent = { projectId: work.projectId, workId: work.workId, clips, captions, options: request.options };
    const { id } = await requireJson(ann.json("POST", "/api/exports", sent));
    await Array.fromAsync(eventsOf(await ann.request(`/api/exports/${id}/events`)));
    return requireJson(ann.request(`/api/exports/${id}/film.json`));
  };
  const turkish = await valueIn("tr", { words: [{ text: "izmir", start: 0, end: 1 }], uppercase: true });
  expect(turkish.request.captions.language).toBe("tr");
  const again = await valueIn("en", turkish.request.captions);
  expect([again.id, again.timeline]).toEqual([turkish.id, turkish.timeline]);
});
