import { afterAll, describe, expect, test } from "bun:test";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Ffmpeg } from "../../../src/engine/ffmpeg/ffmpeg.ts";
import { boxesIn, requireBox } from "../../../src/engine/mp4/boxes.ts";
import { splitUnits } from "../../../src/engine/mp4/h264/units.ts";
import { h264Configuration, onlySampleEntry } from "../../../src/engine/mp4/sample-entry.ts";
import { everyFrame, foundFfmpeg, runFfmpeg, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { testService } from "../../support/service.ts";
import { png, wav } from "../../support/uploads.ts";
import { newWork, numberedVideo, requireJson, saveResponse } from "../../support/work-videos.ts";

const [build] = testedFfmpegs;
const found = await foundFfmpeg();
/** The files that ffmpeg has written for exports and previews. */
const written: string[] = [];
let onRun = async () => {};
const run: Ffmpeg["run"] = async (command, options) => {
  written.push(...command.writes);
  await onRun();
  return found.run(command, options);
};
const other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(wav()) });
const service = await testService(
  { ALLOW_PRIVATE_NETWORK: "true", FETCH_EXTRA_PORTS: `${other.port}` },
  undefined,
  () => ({}),
  { ...found, run },
);
const ann = await service.register("Ann");
const folder = await temporaryFolder();
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const renderedSegments = () => written.filter((path) => /segment-\d+\.mp4$/.test(path)).length;

const work = await newWork(ann);
await work.scene(0, await numberedVideo(folder, 100));
await work.scene(1, await numberedVideo(folder, 300));
const { projectId, workId, base } = work;
const clips = [
  { sceneIndex: 0, position: 0, end: 0.7, transition: "fade", transitionDuration: 0.2 },
  { sceneIndex: 1, position: 0.7, end: 1.4 },
];
const options = { width: 64, height: 36, fps: 30 };
const texts = [{ text: "Hi", position: 0.5, end: 0.9, fontSize: 12 }];
const saved = {
  editorData: { videoTrack: [{ id: "a", sceneIndex: 1, start: 0, end: 1 }] },
  exportSettings: options,
};
const request = { projectId, workId, clips, texts, options };

// biome-ignore lint/suspicious/noExplicitAny: the answer is JSON
type Preview = any;

const preview = (body: object = request, query = ""): Promise<Preview> =>
  requireJson(ann.json("POST", `/api/export/preview${query}`, body));

async function bytesAt(url: string): Promise<Buffer> {
  const response = await ann.request(url);
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
}

/** What a player puts together: an initialization segment and the fragments that follow it. */
async function play({ video, audio }: Preview) {
  const { segments } = video;
  const inits = await Promise.all(segments.map(({ initUrl }: Preview) => bytesAt(initUrl)));
  const fragments: Buffer[] = await Promise.all(segments.map(({ url }: Preview) => bytesAt(url)));
  const path = join(folder, `${crypto.randomUUID()}.mp4`);
  await Bun.write(path, Buffer.concat([inits[0]!, ...fragments]));
  const sound = join(folder, `${crypto.randomUUID()}.mp4`);
  await Bun.write(sound, await bytesAt(audio.url));
  return { path, sound, inits, fragments };
}

/** The time of each decoded frame, or run of samples, in ticks, and a hash of it. */
async function decode(path: string, stream: "v" | "a") {
  const args = ["-copyts", "-i", path, "-map", `0:${stream}:0`, ...(await everyFrame(build!)), "-f", "framemd5", "-"];
  const lines = new TextDecoder().decode(await runFfmpeg(build!, args)).split("\n");
  const rows = lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split(/,\s*/));
  // an edit of a fragmented file moves what the encoder has put before the sound to a time before 0, where players cut it
  const shown = rows.filter((row) => Number(row[2]) >= 0);
  return { times: shown.map((row) => Number(row[2])), hashes: shown.map((row) => row[5]) };
}

const exported = async (body: object) => saveResponse(folder, await ann.json("POST", "/api/export", body));

describe("a film", () => {
  test.each(["standard", "draft"] as const)(
    "in %s is put together from its parts, frame by frame, and its export renders none again",
    async (quality) => {
      const plan = await preview(request, `?quality=${quality}`);
      const half = quality === "draft" ? 2 : 1;
      const { video, audio, warnings, ...facts } = plan;
      expect(facts).toEqual({
        ...{ revision: expect.any(Number), width: 64 / half, height: 36 / half, fps: 30 },
        ...{ frames: 42, durationSeconds: 1.4, quality },
      });
      expect(video.segments.map(({ start }: Preview) => start)).toEqual([
        0,
        ...video.segments.slice(0, -1).map(({ end }: Preview) => end),
      ]);
      expect(video.segments.at(-1).end).toBe(42);
      expect(video.segments.every(({ cached }: Preview) => !cached)).toBe(true);
      expect(warnings).toEqual(expect.any(Array));
      expect(audio.mimeType).toBe('audio/mp4; codecs="mp4a.40.2"');

      const before = renderedSegments();
      const { path, sound, inits, fragments } = await play(plan);
      expect(renderedSegments() - before).toBe(video.segments.length);
      const again = await preview(request, `?quality=${quality}`);
      expect(again.video.segments.map(({ cached }: Preview) => cached)).toEqual(video.segments.map(() => true));
      expect(again.video.segments.map(({ id }: Preview) => id)).toEqual(video.segments.map(({ id }: Preview) => id));

      const film = await exported({ ...request, options: { ...options, quality } });
      expect(renderedSegments() - before).toBe(video.segments.length);
      expect((await decode(path, "v")).hashes).toEqual((await decode(film, "v")).hashes);
      expect(await decode(sound, "a")).toEqual(await decode(film, "a"));
      expect((await decode(sound, "a")).times[0]).toBe(0);

      // times, as the format says them
      const delay = -video.timestampOffset;
      expect(delay).toBeCloseTo(quality === "draft" ? 0 : 2 / 30, 9);
      for (const [index, bytes] of fragments.entries()) {
        const init = requireBox(inits[index]!, "moov");
        const ticksPerSecond = requireBox(init, "trak", "mdia", "mdhd").readUInt32BE(12);
        const traf = requireBox(bytes, "moof", "traf");
        const decodeTicks = Number(requireBox(traf, "tfdt").readBigUInt64BE(4));
        expect(decodeTicks / ticksPerSecond).toBeCloseTo(video.segments[index].start / 30 + delay, 9);
        const run = requireBox(traf, "trun");
        const count = run.readUInt32BE(4);
        expect([run[0], count]).toEqual([1, video.segments[index].end - video.segments[index].start]);
        const shown = Array.from(
          { length: count },
          (_, at) => at * (ticksPerSecond / 30) + run.readInt32BE(12 + 16 * at + 12),
        );
        expect(shown.toSorted((one, other) => one - other)).toEqual(
          Array.from({ length: count }, (_, at) => at * (ticksPerSecond / 30)),
        );

        const entry = onlySampleEntry(requireBox(init, "trak", "mdia", "minf", "stbl", "stsd"));
        const { record, lengthBytes, parameterSets } = h264Configuration(entry)!;
        expect([entry.type, parameterSets.length]).toEqual(["avc1", 2]);
        expect(video.mimeType).toBe(`video/mp4; codecs="avc1.${record.toString("hex", 1, 4)}"`);
        const types = splitUnits(requireBox(bytes, "mdat"), lengthBytes).map(([header = 0]) => header & 0x1f);
        expect(types).not.toContain(7);
        expect(types).not.toContain(8);
        expect([...boxesIn(bytes)].map(({ type }) => type)).toEqual(["moof", "mdat"]);
      }
    },
  );
});

test("a segment that two players and an export need at once is rendered once", async () => {
  const { video } = await preview({ ...request, texts: [{ ...texts[0], text: "once" }] });
  const before = renderedSegments();
  const [{ url }] = video.segments.filter(({ cached }: Preview) => !cached);
  const [first, second] = await Promise.all([bytesAt(url), bytesAt(url)]);
  expect(first.equals(second!)).toBe(true);
  expect(renderedSegments() - before).toBe(1);
});

test("a segment that nobody waits for any more is not rendered", async () => {
  const { video } = await preview({ ...request, texts: [{ ...texts[0], text: "left" }] });
  const { url } = video.segments.find(({ cached }: Preview) => !cached);
  const started = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  onRun = async () => {
    started.resolve();
    await gate.promise;
  };
  const controller = new AbortController();
  const response = ann.request(url, { signal: controller.signal });
  await started.promise;
  controller.abort();
  gate.resolve();
  onRun = async () => {};
  expect((await response).status).toBe(500);
  const again = await preview({ ...request, texts: [{ ...texts[0], text: "left" }] });
  expect(again.video.segments.find((segment: Preview) => segment.url === url).cached).toBe(false);
});

test("a changed word replaces the segments that show it, and no other", async () => {
  const before = await preview();
  const after = await preview({ ...request, texts: [{ ...texts[0], text: "Ho" }] });
  const known = new Set(before.video.segments.map(({ id }: Preview) => id));
  const replaced = after.video.segments.filter(({ id }: Preview) => !known.has(id));
  expect(replaced.map(({ start, end }: Preview) => [start, end])).toEqual([[15, 27]]);
  expect(after.audio.id).toBe(before.audio.id);
});

test("its answers can be kept: parts for ever, the plan while it is the same", async () => {
  await requireJson(ann.json("PUT", base, { editorState: saved }));
  const sent = await ann.request(`${base}/preview`);
  const plan = await sent.json();
  const etag = sent.headers.get("etag")!;
  const { revision } = plan;
  expect((await ann.request(`${base}/preview`, { headers: { "if-none-match": etag } })).status).toBe(304);
  const [{ url, initUrl }] = plan.video.segments;
  for (const path of [url, initUrl, plan.audio.url]) {
    const part = await service.request(`${path}?token=${ann.accessToken}`);
    expect([path, part.status]).toEqual([path, 200]);
    expect(part.headers.get("cache-control")).toBe("private, max-age=31536000, immutable");
    expect(part.headers.get("content-type")).toBe(path === plan.audio.url ? "audio/mp4" : "video/mp4");
    const conditional = await ann.request(path, { headers: { "if-none-match": part.headers.get("etag")! } });
    expect([path, conditional.status]).toEqual([path, 304]);
  }
  const range = await ann.request(plan.audio.url, { headers: { range: "bytes=0-7" } });
  expect([range.status, await range.text()]).toEqual([206, "\0\0\0\x18ftyp"]);

  // the parts are rendered: the plan says so, and is another one
  const rendered = await ann.request(`${base}/preview`, { headers: { "if-none-match": etag } });
  expect([rendered.status, (await rendered.json()).video.segments[0].cached]).toEqual([200, true]);
  await requireJson(ann.json("PUT", base, { name: "Renamed" }));
  const renamed = await requireJson(ann.request(`${base}/preview`));
  expect(renamed.revision).toBeGreaterThan(revision);
  expect(renamed.video.segments[0].url).toBe(url);
});

test("a target has its own frame, and must be one of the request's", async () => {
  const both = { ...request, options: { ...options, targets: ["16:9", "1:1"] } };
  expect(await preview(both)).toMatchObject({ width: 64, height: 36 });
  expect(await preview(both, "?target=1:1")).toMatchObject({ width: 36, height: 36 });
  const other = await ann.json("POST", "/api/export/preview?target=9:16", both);
  expect([other.status, (await other.json()).details[0].path]).toEqual([400, "target"]);
  expect(await preview({ ...request, options: { ...options, quality: "draft" } })).toMatchObject({ quality: "draft" });
  const high = await ann.json("POST", "/api/export/preview?quality=high", request);
  expect([high.status, (await high.json()).details[0].path]).toEqual([400, "quality"]);
});

test("a preview has the errors of the export", async () => {
  const missing = { ...request, clips: [{ ...clips[0], sceneIndex: 7 }] };
  for (const body of [
    missing,
    { ...request, clips: "nonsense" },
    { ...request, audio: { audioUrl: "ftp://nowhere" } },
  ]) {
    const answers = [];
    for (const path of ["/api/export", "/api/export/preview"]) {
      const response = await ann.json("POST", path, body);
      const { requestId: _, ...error } = await response.json();
      answers.push([response.status, error]);
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[1]![0]).toBeGreaterThanOrEqual(400);
  }
  const empty = await newWork(ann);
  const response = await ann.request(`${empty.base}/preview`);
  expect([response.status, (await response.json()).code]).toEqual([422, "nothing_to_export"]);
});

test("parts are there for the work's owner alone, and under the work alone", async () => {
  const { video, audio } = await preview();
  const [{ url, initUrl }] = video.segments;
  const bob = await service.register("Bob");
  for (const path of [url, initUrl, audio.url, `${base}/preview`]) {
    expect([path, (await bob.request(path)).status]).toEqual([path, 404]);
    expect([path, (await service.request(path)).status]).toEqual([path, 401]);
  }
  const { id: otherId } = await requireJson(ann.json("POST", `/api/projects/${projectId}/works`, {}));
  for (const path of [
    url.replace(workId, otherId),
    url.replace(/-\d+$/, "-9999"),
    url.replace(/segments\/./, "segments/z"),
    url.replace(/preview\/[^/]+/, `preview/${"0".repeat(64)}`),
    url.replace(/preview\/[^/]+/, "preview/..%2F..%2Fsecrets"),
  ]) {
    const response = await ann.request(path);
    expect([path, response.status, (await response.json()).code]).toEqual([path, 404, "not_found"]);
  }
});

test("a sound of another server is heard, and is not kept", async () => {
  const audioUrl = `http://127.0.0.1:${other.port}/music.wav`;
  const scored = { ...request, audio: { audioUrl, loop: true } };
  const before = written.length;
  const { audio } = await preview(scored);
  await other.stop(true);
  expect(written.length).toBeGreaterThan(before);
  expect(audio.id).not.toBe((await preview()).audio.id);
  const bytes = await bytesAt(audio.url);
  expect(bytes.toString("latin1", 4, 8)).toBe("ftyp");
  expect((await readdir(join(service.dataDir, "fetched")).catch(() => [])).length).toBe(0);
});

test("a work of images has a preview", async () => {
  const imageWork = await newWork(ann);
  await imageWork.image(0, png(64, 36));
  const body = {
    projectId: imageWork.projectId,
    workId: imageWork.workId,
    options,
    clips: [{ sceneIndex: 0, position: 0, end: 0.5 }],
  };
  const { path } = await play(await preview(body));
  expect((await decode(path, "v")).hashes).toEqual((await decode(await exported(body), "v")).hashes);
});
