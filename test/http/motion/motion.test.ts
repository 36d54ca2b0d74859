import { expect, test } from "bun:test";
import { sharedService } from "../../support/service.ts";

const service = await sharedService();

const get = (path: string, headers: Record<string, string> = {}) => service.app.request(path, { headers });

const motion = await (await get("/api/motion")).json();

type Move = { name: string; types: string[]; preview: string };

const all: readonly Move[] = [...motion.enter, ...motion.exit, ...motion.loop];

test("the list has every name with the types of layers that have it", () => {
  const namesOf = (moves: readonly Move[]) => moves.map(({ name }) => name);
  expect(namesOf(motion.enter)).toEqual(expect.arrayContaining(["fade", "pop", "reveal", "count", "draw"]));
  expect(namesOf(motion.exit)).toEqual(namesOf(motion.enter));
  expect(namesOf(motion.loop)).toEqual(expect.arrayContaining(["pulse", "shine"]));
  const typesOf = (name: string) => motion.enter.find((move: Move) => move.name === name).types;
  expect(typesOf("reveal")).toEqual(["text"]);
  expect(typesOf("draw")).toEqual(["shape"]);
  expect(typesOf("fade")).toEqual(expect.arrayContaining(["text", "image", "shape", "group"]));
  expect(motion.easings.names).toEqual(expect.arrayContaining(["linear", "out-back", "in-out-expo"]));
});

/** The names of the chunks of a RIFF file. */
function chunksOf(bytes: Uint8Array): readonly string[] {
  const file = Buffer.from(bytes);
  const names = [file.toString("latin1", 8, 12)];
  for (let at = 12; at < file.length; ) {
    names.push(file.toString("latin1", at, at + 4));
    const size = file.readUInt32LE(at + 4);
    at += 8 + size + (size % 2);
  }
  return names;
}

test("every preview is a small animation that anyone can read and keep", async () => {
  for (const { preview } of all) {
    const response = await get(preview);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/webp"]);
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    const bytes = await response.bytes();
    expect(bytes.length).toBeLessThan(80_000);
    const chunks = chunksOf(bytes);
    expect(chunks.slice(0, 3)).toEqual(["WEBP", "VP8X", "ANIM"]);
    expect(chunks.filter((name) => name === "ANMF").length).toBeGreaterThan(2);
  }
});

test("a preview without its version is revalidated", async () => {
  const path = motion.enter[0].preview.replace(/\?.*/, "");
  const first = await get(path);
  expect(first.headers.get("cache-control")).toBe("public, no-cache");
  const again = await get(path, { "If-None-Match": first.headers.get("etag")! });
  expect(again.status).toBe(304);
});

test("unknown names are not found", async () => {
  for (const path of ["enter/none", "none/fade", "loop/fade", "enter/pulse", "enter/constructor"]) {
    expect((await get(`/api/motion/${path}/preview`)).status).toBe(404);
  }
});
