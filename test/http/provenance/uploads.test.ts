import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { createCanvas } from "@napi-rs/canvas";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { sharedService } from "../../support/service.ts";
import { signed, verify } from "../../support/signed-files.ts";
import { mp4, png } from "../../support/uploads.ts";
import { newWork, requireJson, saveResponse } from "../../support/work-videos.ts";

const service = await sharedService();
const folder = await temporaryFolder();
const ann = await service.register("Ann");

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

function picture(type: "jpeg" | "webp", color: string): File {
  const canvas = createCanvas(40, 24);
  const context = canvas.getContext("2d");
  context.fillStyle = color;
  context.fillRect(0, 0, 20, 12);
  const bytes = type === "jpeg" ? canvas.toBuffer("image/jpeg") : canvas.toBuffer("image/webp");
  return new File([new Uint8Array(bytes)], `picture.${type}`, { type: `image/${type}` });
}

/** A film of a clip, with pictures above it. */
async function filmOf(clip: File, pictures: readonly File[], options = {}) {
  const work = await newWork(ann, { name: "Film" });
  await work.scene(0, clip);
  const images = [];
  for (const file of pictures) images.push({ assetId: (await work.asset(file)).id, position: 0, end: 0.4, x: 0, y: 0 });
  const request = {
    ...{ projectId: work.projectId, workId: work.workId, images },
    clips: [{ sceneIndex: 0, position: 0, end: 0.4 }],
    options: { width: 64, height: 36, fps: 30, quality: "draft", ...options },
  };
  const path = await saveResponse(folder, await ann.json("POST", "/api/export", request));
  const { exports } = await requireJson(ann.request("/api/exports"));
  return { path, request, provenance: await requireJson(ann.request(`/api/exports/${exports[0].id}/provenance`)) };
}

type Shown = { readonly manifest?: object };

const manifestsOf = (provenance: { readonly ingredients: readonly Shown[] }) =>
  provenance.ingredients.map(({ manifest }) => manifest);

/** Another implementation finds the film's manifest valid, and the manifest of each ingredient in it. */
async function requireValid(path: string) {
  const report = await verify(path);
  expect(report).toMatchObject({ validation_state: "Valid" });
  return report.manifests[report.active_manifest]!.ingredients.map(({ active_manifest }) => active_manifest);
}

/** The file with another byte at this place. */
async function changed(file: File, find: (bytes: Buffer) => number): Promise<File> {
  const bytes = Buffer.from(await file.bytes());
  bytes[find(bytes)]! ^= 1;
  return new File([new Uint8Array(bytes)], file.name, { type: file.type });
}

const capture = { state: "valid", isOwn: false, digitalSourceTypes: ["digitalCapture"], failures: [] };

test("a film's manifest carries the manifests of uploaded files, which another implementation finds valid", async () => {
  const pictures = [
    await signed(png(20, 20), { algorithm: "ps256" }),
    await signed(picture("jpeg", "red")),
    await signed(picture("webp", "blue")),
  ];
  const { path, provenance } = await filmOf(await signed(await mp4()), pictures);
  expect(manifestsOf(provenance)).toEqual(
    ["es256", "ps256", "es256", "es256"].map((name) =>
      expect.objectContaining({ ...capture, signedBy: `O=Test, CN=Test ${name}` }),
    ),
  );
  expect(provenance).toMatchObject({ hasGeneratedParts: false, digitalSourceType: "composite" });
  const carried = await requireValid(path);
  expect(new Set(carried.filter(Boolean)).size).toBe(4);
});

test("a label shows that a picture's own manifest names a trained model, and the film's manifest says so", async () => {
  const generated = await signed(png(20, 20, "#ff0000"), { source: "trainedAlgorithmicMedia" });
  const { path, request, provenance } = await filmOf(await mp4(), [generated], { disclosure: "auto" });
  expect(provenance).toMatchObject({
    ...{ hasGeneratedParts: true, digitalSourceType: "compositeWithTrainedAlgorithmicMedia", models: [] },
    ingredients: [{ role: "clip" }, { role: "image", digitalSourceType: "trainedAlgorithmicMedia" }],
  });
  await requireValid(path);
  const warningsOf = async (disclosure: string) => {
    const sent = { ...request, options: { ...request.options, disclosure } };
    const { warnings } = await requireJson(ann.json("POST", "/api/export/validate", sent));
    return warnings.map(({ code }: { code: string }) => code);
  };
  expect(await warningsOf("off")).toContain("disclosure_missing");
  expect(await warningsOf("auto")).not.toContain("disclosure_missing");

  // the words follow from the work's language, which another machine may not have
  const { exports } = await requireJson(ann.request("/api/exports"));
  const film = await requireJson(ann.request(`/api/exports/${exports[0].id}/film.json`));
  expect(film.request.options.disclosure).toEqual({ text: "Contains AI-generated content" });
});

test("the mark of IPTC in a picture's XMP counts as well, without a manifest", async () => {
  const plain = Buffer.from(await picture("jpeg", "#ff0000").bytes());
  const address = "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia";
  const packet = Buffer.from(`http://ns.adobe.com/xap/1.0/\0<r Iptc4xmpExt:DigitalSourceType="${address}"/>`);
  const head = Buffer.from([0xff, 0xe1, 0, packet.length + 2]);
  const marked = new File([Buffer.concat([plain.subarray(0, 2), head, packet, plain.subarray(2)])], "marked.jpeg");
  const { provenance } = await filmOf(await mp4(), [marked], { disclosure: "auto" });
  expect(provenance.hasGeneratedParts).toBe(true);
  expect(provenance.ingredients[1]).toMatchObject({ role: "image", digitalSourceType: "trainedAlgorithmicMedia" });
  expect(provenance.ingredients[1].manifest).toBeUndefined();
});

test("files that were changed after they were signed are ingredients whose manifest is invalid", async () => {
  const picture = await signed(png(20, 20, "#00ff00"));
  const otherPixels = await changed(picture, (bytes) => bytes.lastIndexOf("IEND") + 5);
  const brokenManifest = await changed(picture, (bytes) => bytes.indexOf("digitalCapture"));
  const { path, provenance } = await filmOf(await mp4(), [otherPixels, brokenManifest]);
  expect(manifestsOf(provenance).slice(1)).toMatchObject([
    { state: "invalid", failures: ["assertion.dataHash.mismatch"] },
    { state: "invalid", failures: ["assertion.hashedURI.mismatch"] },
  ]);
  const [clip, carried, left] = await requireValid(path);
  expect(carried).toStartWith("urn:c2pa:");
  expect([clip, left]).toEqual([undefined, undefined]);
});

test("an export of the installation is recognized when it is uploaded again, and no more after a change", async () => {
  const { path } = await filmOf(await mp4(), [await signed(png(20, 20))]);
  const own = new File([await Bun.file(path).bytes()], "film.mp4", { type: "video/mp4" });
  const again = await filmOf(own, []);
  expect(manifestsOf(again.provenance)).toMatchObject([
    { state: "valid", isOwn: true, digitalSourceTypes: ["composite", "digitalCapture"] },
  ]);
  expect(await requireValid(again.path)).toHaveLength(1);
  const damaged = await filmOf(await changed(own, (bytes) => bytes.length - 1), []);
  expect(manifestsOf(damaged.provenance)).toMatchObject([
    { state: "invalid", isOwn: false, failures: ["assertion.bmffHash.mismatch"] },
  ]);
  await requireValid(damaged.path);
});
