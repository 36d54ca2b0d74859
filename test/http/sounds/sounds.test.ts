import { expect, test } from "bun:test";
import { readSounds } from "../../../src/readers/sounds/read-sounds.ts";
import { looks } from "../../support/looks.ts";
import { sharedService } from "../../support/service.ts";

const service = await sharedService();
const library = readSounds(`${import.meta.dir}/../../../src/sounds`);

const get = (path: string) => service.app.request(path);

test("anyone can list the beds and the effects, and hear them", async () => {
  const { beds } = await (await get("/api/beds")).json();
  expect(beds.map(({ name }: { name: string }) => name)).toEqual([...library.beds.keys()]);
  expect(beds.length).toBeGreaterThanOrEqual(8);
  const { effects } = await (await get("/api/effects")).json();
  expect(effects.length).toBeGreaterThanOrEqual(12);
  for (const url of [beds[0].preview, effects[0].audioUrl]) {
    const response = await get(url);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "audio/wav"]);
    expect(Buffer.from(await response.bytes()).toString("latin1", 0, 4)).toBe("RIFF");
  }
  for (const path of ["/api/beds/none/preview", "/api/effects/none/sound"]) expect((await get(path)).status).toBe(404);
});

test("a bed of any length needs a credential, and is as long as asked for", async () => {
  const [name] = library.beds.keys();
  const url = `/api/beds/${name}/sound?seconds=3.5`;
  expect((await get(url)).status).toBe(401);
  const ann = await service.register();
  const head = await ann.request(url, { method: "HEAD" });
  expect(head.headers.get("content-length")).toBe(`${44 + 3.5 * 48_000 * 4}`);
  const part = await ann.request(url, { headers: { range: "bytes=0-43" } });
  expect([part.status, (await part.bytes()).length]).toEqual([206, 44]);
  expect((await ann.request(`/api/beds/${name}/sound?seconds=1000`)).status).toBe(400);
});

test("looks name beds and effects that exist, and the beds differ in tempo, key or scale", () => {
  for (const { beds, effects } of looks.values()) {
    for (const name of beds) expect(library.beds.has(name)).toBe(true);
    for (const name of [...effects.cuts, ...Object.values(effects.boxes)]) expect(library.effects.has(name)).toBe(true);
  }
  const kinds = [...library.beds.values()].map(({ tempo, key, scale }) => `${tempo} ${key} ${scale}`);
  expect(new Set(kinds).size).toBe(kinds.length);
});
