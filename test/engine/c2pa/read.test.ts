import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { encode } from "cbor2";
import { superbox } from "../../../src/engine/c2pa/jumbf.ts";
import { readFileManifest } from "../../../src/engine/c2pa/read.ts";
import { boxesIn } from "../../../src/engine/mp4/boxes.ts";
import { printBox } from "../../../src/engine/mp4/print-boxes.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { signed, verify } from "../../support/signed-files.ts";
import { mp4, png } from "../../support/uploads.ts";

const folder = await temporaryFolder();

afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(bytes: Uint8Array, container: "png" | "mp4" = "png") {
  const path = `${folder}/${crypto.randomUUID()}`;
  await Bun.write(path, bytes);
  return readFileManifest(path, container);
}

/** A picture with a chunk of this content after its first one. */
async function carrying(store: Uint8Array): Promise<Buffer> {
  const picture = Buffer.from(await png().bytes());
  const named = Buffer.concat([Buffer.from("caBX"), store]);
  const [length, check] = [store.length, crc32(named)].map((value) => {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(value);
    return number;
  });
  return Buffer.concat([picture.subarray(0, 33), length!, named, check!, picture.subarray(33)]);
}

const cbor = (value: object) => printBox("cbor", encode(value));

/** A manifest that nobody has signed, with one ingredient. */
const manifest = (label: string, ingredient: string) =>
  superbox(
    "c2ma",
    label,
    superbox(
      "c2as",
      "c2pa.assertions",
      superbox(
        "cbor",
        "c2pa.ingredient.v3",
        cbor({ activeManifest: { url: `self#jumbf=/c2pa/${ingredient}`, hash: new Uint8Array(32) } }),
      ),
    ),
    superbox("c2cl", "c2pa.claim.v2", cbor({ alg: "sha256", created_assertions: [] })),
    superbox("c2cs", "c2pa.signature", cbor([])),
  );

const invalid = expect.objectContaining({ state: "invalid", isIntact: false });

test("a file without a manifest has none", async () => {
  expect(await read(await png().bytes())).toBeUndefined();
  expect(await read(await (await mp4()).bytes(), "mp4")).toBeUndefined();
});

test("a manifest that is cut is never valid, and one with a changed byte only if another implementation finds it so", async () => {
  const store = 33 + 8;
  const file = Buffer.from(await (await signed(png())).bytes());
  expect(await read(file)).toMatchObject({ state: "valid", isIntact: true });
  const end = file.lastIndexOf("caBX");
  const length = file.readUInt32BE(end - 4);
  for (let at = store; at < store + length; at += Math.round(length / 40)) {
    const changed = Buffer.from(file);
    changed[at]! ^= 0x41;
    const path = `${folder}/changed-${at}.png`;
    await Bun.write(path, changed);
    const isValid = await verify(path).then(
      ({ validation_state }) => validation_state === "Valid",
      () => false,
    );
    // what neither a hash nor a signature covers, such as room that was left, may change
    if (!isValid) expect({ at, state: (await read(changed))?.state }).not.toEqual({ at, state: "valid" });
    expect((await read(file.subarray(0, at)))?.state).not.toBe("valid");
  }
});

test("hostile manifests are read within bounds", async () => {
  const deep = Buffer.alloc(100_000, "\0\0\0\0jumb");
  for (let at = 0; at < deep.length; at += 8) deep.writeUInt32BE(deep.length - at, at);
  const nested = encode(new Uint8Array(0));
  const lists = Buffer.concat([Buffer.alloc(500_000, 0x81), nested]);
  const counted = Buffer.from("9bffffffffffffffff", "hex");
  const withClaim = (claim: Uint8Array) =>
    superbox(
      "c2pa",
      "c2pa",
      superbox(
        "c2ma",
        "a",
        superbox("c2as", "c2pa.assertions"),
        superbox("c2cl", "c2pa.claim.v2", printBox("cbor", claim)),
        superbox("c2cs", "c2pa.signature", cbor([])),
      ),
    );
  const empty = Buffer.alloc(200_000 * 8, printBox("jumb"));
  const circle = superbox("c2pa", "c2pa", manifest("a", "b"), manifest("b", "a"));
  for (const store of [
    ...[deep, Buffer.alloc(0), Buffer.from("garbage")],
    ...[withClaim(lists), withClaim(counted), superbox("c2pa", "c2pa", empty), circle],
  ])
    expect(await read(await carrying(store))).toEqual(invalid);
  expect(await read(await carrying(Buffer.alloc(5 * 2 ** 20)))).toMatchObject({ state: "unchecked" });
  const many = Array.from({ length: 300 }, (_, index) => manifest(`${index}`, `${index + 1}`));
  expect(await read(await carrying(superbox("c2pa", "c2pa", ...many)))).toMatchObject({ state: "unchecked" });
});

test("a manifest by another name or in other boxes, and a second store in a video, are invalid, as for another implementation", async () => {
  const picture = Buffer.from(await (await signed(png())).bytes());
  const changed = (find: string, offset: number) => {
    const bytes = Buffer.from(picture);
    bytes[bytes.indexOf(find) + offset]! ^= 1;
    return read(bytes);
  };
  const video = Buffer.from(await (await signed(await mp4())).bytes());
  const [own] = [...boxesIn(video)].filter(({ type }) => type === "uuid");
  const twice = Buffer.concat([video, printBox("uuid", own!.content)]);
  expect(await Promise.all([read(picture), read(video, "mp4")])).toMatchObject([
    { state: "valid" },
    { state: "valid" },
  ]);
  expect(await Promise.all([changed("urn:c2pa:", 1), read(twice, "mp4")])).toEqual([invalid, invalid]);
  // neither are the kinds of boxes signed, nor that of the signature's own form
  const kinds = [changed("jumdc2cl", 7), changed("jumdc2cl", 12), changed("jumdc2as", 20), changed("jumdc2cs", 7)];
  expect(await Promise.all(kinds)).toEqual(kinds.map(() => invalid));
});
