import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { readFileManifest } from "../../../src/engine/c2pa/read.ts";
import { signImage } from "../../../src/engine/c2pa/sign-image.ts";
import { sha256Of } from "../../../src/platform/values.ts";
import { localSigner } from "../../../src/security/signers.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";

const folder = await temporaryFolder();
const signer = localSigner("a secret of thirty-two characters");

afterAll(() => rm(folder, { recursive: true, force: true }));

const provenance = (files: number) => ({
  signer,
  statement: {
    source: "composite" as const,
    ingredients: Array.from({ length: files }, (_, index) => ({
      role: "image" as const,
      sha256: sha256Of(`${index}`),
      mimeType: "image/png",
    })),
  },
  carried: { boxes: [], byFile: new Map() },
  generator: { name: "Reelwright", version: "1" },
});

test.each([
  ["png", "png", 0],
  ["png", "png", 400],
  ["jpg", "jpeg", 1],
  ["jpg", "jpeg", 400],
] as const)("a %s holds and verifies the manifest of its %d files", async (format, container, files) => {
  const canvas = createCanvas(64, 36);
  canvas.getContext("2d").fillRect(8, 8, 20, 20);
  const image = await (format === "png" ? canvas.encode("png") : canvas.encode("jpeg"));
  const signed = signImage(Buffer.from(image), format, provenance(files));
  const path = `${folder}/${format}-${files}`;
  await Bun.write(path, signed);
  expect(signed.length > image.length + 65_536).toBe(files === 400);
  expect(readFileManifest(path, container)).toMatchObject({ state: "valid", failures: [] });
  const { width, height } = await loadImage(signed);
  expect([width, height]).toEqual([64, 36]);
});
