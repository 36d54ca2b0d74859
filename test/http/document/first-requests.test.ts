import { expect, test } from "bun:test";
import { firstRequests, guesses } from "../../../src/http/document/first-requests.ts";
import { sharedService } from "../../support/service.ts";
import { mp4, png, wav } from "../../support/uploads.ts";
import { newWork, requireJson } from "../../support/work-videos.ts";

const service = await sharedService();
const ann = await service.register("Ann");
const { projectId, workId, asset } = await newWork(ann);
const { id: imageId } = await asset(png(64, 36));
const { id: videoId } = await asset(await mp4());
const { id: soundId } = await asset(wav());
const ids: Readonly<Record<string, string>> = { projectId, workId, imageId, videoId, soundId };

const withIds = (text: string): string => text.replaceAll(/<(\w+)>/g, (found, name: string) => ids[name] ?? found);

const llms = await (await service.request("/llms.txt")).text();

test.each(firstRequests.map((request) => [request.title, request] as const))(
  "%s",
  async (_, { method, path, body }) => {
    const json = JSON.parse(withIds(JSON.stringify(body)));
    if (path === "/api/exports") {
      const report = await requireJson(ann.json("POST", "/api/export/validate", json));
      expect(report).toMatchObject({ ok: true, errors: [] });
      // in a frame that costs nothing
      json.options = { ...json.options, width: 32, height: 32, fps: 5 };
    }
    const response = await ann.json(method, withIds(path), json);
    expect([response.status < 300, (await response.json()).errors ?? []]).toEqual([true, []]);
  },
);

test("an agent reads them in llms.txt", () => {
  for (const { title, body } of firstRequests) {
    expect(llms).toContain(title);
    expect(llms).toContain(JSON.stringify(body, null, 1));
  }
  expect(llms).toContain("| You would guess | Here |");
});

test("each name that stands for a guess is a field, a value or a route of the API", async () => {
  const read = async (path: string) => (await ann.request(path)).text();
  const known = (await read("/api/openapi.json")) + (await read("/api/motion"));
  const names = guesses.flatMap(([, here]) => [...here.matchAll(/`([^`]+)`/g)].map(([, code]) => code!));
  const words = names.flatMap((code) => code.match(/\b[a-z][a-zA-Z-]{2,}\b/g) ?? []);
  expect(words.length).toBeGreaterThan(60);
  expect(words.filter((word) => !known.includes(word))).toEqual([]);
});
