import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { eventsOf } from "../../support/events.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { sharedService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { newWork, numberedVideo, requireJson } from "../../support/work-videos.ts";

const service = await sharedService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/**
 * 180 frames at 29.97: a clip of which a second follows by a dissolve, a third by a wipe, after a gap an image, and a clip
 * that is longer than its file, which has 3 seconds.
 */
async function edited() {
  const work = await newWork(ann, { name: 'A "film" & more' });
  await work.scene(0, await numberedVideo(folder, 100, 90));
  await work.scene(1, await numberedVideo(folder, 200, 90));
  await work.image(2, png(40, 40));
  const { id: assetId } = await work.asset(png(20, 20));
  const frames = (count: number) => (count * 1001) / 30_000;
  const at = (start: number, end: number) => ({ position: frames(start), end: frames(end) });
  const request = {
    projectId: work.projectId,
    workId: work.workId,
    clips: [
      { sceneIndex: 0, ...at(0, 40), cutFrom: frames(7), transition: "dissolve", transitionDuration: frames(15) },
      { sceneIndex: 1, ...at(40, 70), transition: "wipeleft", transitionDuration: frames(10) },
      { sceneIndex: 0, ...at(70, 90), cutFrom: frames(60) },
      { sceneIndex: 2, ...at(100, 120) },
      { sceneIndex: 1, ...at(120, 180), cutFrom: frames(60) },
    ],
    texts: [
      { text: "One <b> & two\u0001", ...at(3, 50), fontSize: 12, fontColor: "#ff0000", centerX: 10, centerY: -5 },
      { text: "Over it", ...at(20, 60) },
    ],
    images: [{ assetId, ...at(5, 15) }],
    captions: { srt: "1\n00:00:00,000 --> 00:00:02,000\nHello there\n" },
    options: { width: 64, height: 36, fps: 29.97, quality: "draft" },
  };
  const { id } = await requireJson(ann.json("POST", "/api/exports", request));
  await Array.fromAsync(eventsOf(await ann.request(`/api/exports/${id}/events`)));
  return { id: id as string, work };
}

const { id, work } = await edited();
const read = async (format: string) => {
  const response = await ann.request(`/api/exports/${id}/timeline.${format}`);
  if (!response.ok) throw new Error(await response.text());
  return response;
};

type Time = { rate: number; value: number };
type Item = {
  OTIO_SCHEMA: string;
  name: string;
  source_range: { start_time: Time; duration: Time };
  out_offset: Time;
  effects: { OTIO_SCHEMA: string }[];
  media_references: { DEFAULT_MEDIA: { OTIO_SCHEMA: string; target_url: string; parameters: object } };
};

const rate = 30_000 / 1001;

/** Where each clip of a track begins and ends on it, and in its file. */
function placesOf(items: readonly Item[]) {
  let at = 0;
  return items.flatMap((item) => {
    if (item.OTIO_SCHEMA === "Transition.1") return [["transition", item.out_offset.value]];
    const { start_time: from, duration } = item.source_range;
    expect([from.rate, duration.rate]).toEqual([rate, rate]);
    const start = at;
    at += duration.value;
    return item.OTIO_SCHEMA === "Gap.1" ? [] : [[start, at, from.value]];
  });
}

const otio = async () =>
  (await (await read("otio")).json()) as {
    tracks: {
      children: { kind: string; name: string; children: Item[] }[];
      markers: { name: string; marked_range: { start_time: Time } }[];
    };
  };

test("OpenTimelineIO gets each cut, gap and transition at its frame, titles with their words, and a marker for each scene", async () => {
  const { tracks } = await otio();
  const [video, ...others] = tracks.children;
  expect(placesOf(video!.children)).toEqual([
    [0, 40, 7],
    ["transition", 15],
    [40, 70, 0],
    ["transition", 10],
    [70, 90, 60],
    [100, 120, 0],
    [120, 149, 60],
    [149, 180, 88],
  ]);
  expect(video!.children.at(-1)!.effects).toMatchObject([{ OTIO_SCHEMA: "FreezeFrame.1" }]);
  for (const track of tracks.children) {
    const frames = track.children.reduce((sum, item) => sum + (item.source_range?.duration.value ?? 0), 0);
    expect(frames).toBe(180);
  }
  const titles = others.flatMap(({ children }) => children).filter(({ name }) => /One|Over/.test(name));
  expect(titles.map((one) => one.media_references.DEFAULT_MEDIA)).toMatchObject([
    { OTIO_SCHEMA: "GeneratorReference.1", parameters: { text: "One <b> & two\u0001", fontSize: 12, x: 10, y: -5 } },
    { parameters: { text: "Over it" } },
  ]);
  expect(tracks.markers.map(({ name, marked_range }) => [name, marked_range.start_time.value])).toEqual([
    ["Scene 1", 0],
    ["Scene 2", 40],
    ["Scene 1", 70],
    ["Scene 3", 100],
    ["Scene 2", 120],
  ]);
});

test("Final Cut Pro gets well-formed XML whose times are exact fractions, without gaps in its storyline", async () => {
  const text = await (await read("fcpxml")).text();
  const path = join(folder, "timeline.fcpxml");
  await Bun.write(path, text);
  await Bun.$`python3 -c ${"import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])"} ${path}`.quiet();
  const spine = [...text.matchAll(/^ {12}<(asset-clip|video|gap) .*?offset="(.*?)" start="(.*?)" duration="(.*?)"/gm)];
  const frames = (time: string) => {
    const [, num = 0, den = 1] = (time.match(/^(\d+)(?:\/(\d+))?s$/) ?? []).map(Number);
    return (num / (den || 1)) * rate;
  };
  let at = 0;
  for (const [, , offset, , duration] of spine) {
    expect(frames(offset!)).toBeCloseTo(at, 9);
    expect(offset).toMatch(/^(0s|\d+\/30000s)$/);
    at += frames(duration!);
  }
  expect(at).toBeCloseTo(180, 9);
  expect(text).toContain('<text-style ref="ts1">One &lt;b&gt; &amp; two</text-style>');
  expect(text.match(/<marker /g)).toHaveLength(5);
  expect(text).toContain('src="./media/clip-');
  // shares of the frame's height, upwards: 10 and 5 of 36 pixels
  expect(text).toContain('<adjust-transform position="27.7778 13.8889"/></title>');
  // a held picture is one frame of its file, which has no more
  const held = text.match(/<asset-clip .*? start="0s" duration="31031\/30000s".*>\n.*<timeMap>(.*)<\/timeMap>/)?.[1];
  expect(held).toBe(
    '<timept time="0s" value="88088/30000s" interp="linear"/><timept time="31031/30000s" value="88088/30000s" interp="linear"/>',
  );
  // each file in its own size and rate
  expect(text).toMatch(
    /<format id="(r\d+)" frameDuration="1\/30s" width="\d+" height="\d+"\/>[\s\S]*<asset .* format="\1">/,
  );
});

test("an edit decision list has the cuts and dissolves in timecode that drops no frame", async () => {
  const lines = (await (await read("edl")).text()).split("\r\n");
  expect(lines.slice(0, 2)).toEqual(['TITLE: A "film" & more', "FCM: NON-DROP FRAME"]);
  expect(lines.filter((line) => /^\d/.test(line))).toEqual([
    "001  AX       V     C        00:00:00:07 00:00:01:17 00:00:00:00 00:00:01:10",
    "002  AX       V     C        00:00:01:17 00:00:01:17 00:00:01:10 00:00:01:10",
    "002  AX       V     D    015 00:00:00:00 00:00:01:00 00:00:01:10 00:00:02:10",
    "003  AX       V     C        00:00:01:00 00:00:01:00 00:00:02:10 00:00:02:10",
    "003  AX       V     D    010 00:00:02:00 00:00:02:20 00:00:02:10 00:00:03:00",
    "004  AX       V     C        00:00:00:00 00:00:00:20 00:00:03:10 00:00:04:00",
    "005  AX       V     C        00:00:02:00 00:00:02:29 00:00:04:00 00:00:04:29",
    "006  AX       V     C        00:00:02:28 00:00:03:29 00:00:04:29 00:00:06:00",
  ]);
  expect(lines).toContain("* LOC: 00:00:01:10 GREEN   SCENE 2");
});

test("a zip file has the timelines, the captions, notes, and each file at the path that the timelines name", async () => {
  const response = await read("zip");
  const bytes = await response.bytes();
  expect(response.headers.get("content-length")).toBe(`${bytes.length}`);
  const path = join(folder, "timeline.zip");
  await Bun.write(path, bytes);
  await Bun.$`python3 -m zipfile -e ${path} ${join(folder, "zip")}`.quiet();
  const at = (name: string) => Bun.file(join(folder, "zip", name));
  const { tracks } = await otio();
  const urls = tracks.children
    .flatMap(({ children }) => children)
    .flatMap((item) => item.media_references?.DEFAULT_MEDIA.target_url ?? []);
  expect(new Set(urls).size).toBe(4);
  for (const url of urls) {
    expect(url).toMatch(/^media\/(clip|image)-[0-9a-f]{12}\.(mp4|png)$/);
    const hash = new Bun.CryptoHasher("sha256").update(await at(url).bytes()).digest("hex");
    expect(url).toContain(hash.slice(0, 12));
  }
  expect(await at("captions.srt").text()).toContain("Hello there");
  expect(await at("timeline.edl").text()).toStartWith("TITLE");
  expect(await at("notes.txt").text()).toContain("A transition wipeleft is a dissolve.");
});

const hasLibrary = (await Bun.$`python3 -c "import opentimelineio"`.quiet().nothrow()).exitCode === 0;

test.skipIf(!hasLibrary)("OpenTimelineIO's own library reads the timeline, and writes the same again", async () => {
  const path = join(folder, "timeline.otio");
  await Bun.write(path, await (await read("otio")).bytes());
  const program = `
import json, sys, opentimelineio as otio
timeline = otio.adapters.read_from_file(sys.argv[1])
again = otio.adapters.read_from_string(otio.adapters.write_to_string(timeline, "otio_json"), "otio_json")
assert again.is_equivalent_to(timeline)
print(json.dumps([[c.trimmed_range_in_parent().start_time.value, c.trimmed_range_in_parent().end_time_exclusive().value]
  for c in timeline.video_tracks()[0].find_clips()]))`;
  expect(JSON.parse(await Bun.$`python3 -c ${program} ${path}`.text())).toEqual([
    ...[
      [0, 40],
      [40, 70],
      [70, 90],
      [100, 120],
      [120, 149],
      [149, 180],
    ],
  ]);
});

test("only the owner of a finished export has its timeline", async () => {
  const bob = await service.register("Bob");
  expect((await bob.request(`/api/exports/${id}/timeline.otio`)).status).toBe(404);
  expect((await ann.request(`/api/exports/${id}/timeline.otio?target=9:16`)).status).toBe(200);
  expect((await ann.request(`/api/exports/${id}/timeline.otio?target=square`)).status).toBe(400);
});

const imports = `/api/projects/${work.projectId}/works/from-otio`;

/** As editors keep it that know none of our metadata. */
const withoutMetadata = (timeline: object) =>
  JSON.parse(JSON.stringify(timeline, (key, value) => (key === "metadata" ? {} : value)));

test("a timeline that was exported comes back as a work, with each cut, gap, transition and title at its frame", async () => {
  const sent = await (await read("otio")).json();
  const { id: workId, lost, missingMedia } = await requireJson(ann.json("POST", imports, sent));
  expect({ lost, missingMedia }).toEqual({ lost: [], missingMedia: [] });
  const foreign = await requireJson(ann.json("POST", imports, withoutMetadata(sent)));
  expect({ lost: foreign.lost, missingMedia: foreign.missingMedia }).toEqual({ lost: [], missingMedia: [] });
  const request = { projectId: work.projectId, workId, options: { quality: "draft" } };
  const { id: again } = await requireJson(ann.json("POST", "/api/exports", request));
  await Array.fromAsync(eventsOf(await ann.request(`/api/exports/${again}/events`)));
  const back = await requireJson(ann.request(`/api/exports/${again}/timeline.otio`));
  const tracksOf = ({ tracks }: Awaited<ReturnType<typeof otio>>) =>
    tracks.children.map(({ kind, name, children }) => ({
      ...{ kind, name, places: placesOf(children) },
      texts: children.map(({ media_references: media }) => media?.DEFAULT_MEDIA.parameters),
    }));
  expect(tracksOf(back)).toEqual(tracksOf(sent));
  expect(back.metadata.reelwright).toMatchObject({ width: 64, height: 36 });
});

test("a generated clip of another work comes back with its model, and one of another project is missing", async () => {
  const made = await newWork(ann, { name: "Drawn", resolution: { width: 72, height: 128 } });
  await requireJson(ann.json("PUT", made.base, { scenes: [{ image_prompt: "A cup", duration_seconds: 1 }] }));
  await requireJson(ann.json("POST", `${made.base}/generate/scene/0`));
  const options = { width: 64, height: 36, quality: "draft" };
  const film = async (projectId: string, workId: string) => {
    const request = { projectId, workId, clips: [{ sceneIndex: 0, position: 0, end: 1 }], options };
    const { id: exportId } = await requireJson(ann.json("POST", "/api/exports", request));
    await Array.fromAsync(eventsOf(await ann.request(`/api/exports/${exportId}/events`)));
    return `/api/exports/${exportId}`;
  };
  const path = await film(made.projectId, made.workId);
  const timeline = await requireJson(ann.request(`${path}/timeline.otio`));
  const again = await requireJson(ann.json("POST", `/api/projects/${made.projectId}/works/from-otio`, timeline));
  expect(again.missingMedia).toEqual([]);
  const { ingredients } = await requireJson(ann.request(`${await film(made.projectId, again.id)}/provenance`));
  const before = await requireJson(ann.request(`${path}/provenance`));
  expect(ingredients[0]).toEqual(before.ingredients[0]);
  expect(ingredients[0].inputHash).toBeString();
  const elsewhere = await requireJson(ann.json("POST", imports, timeline));
  expect(elsewhere.missingMedia).toEqual([expect.stringMatching(/^clip-[0-9a-f]{12}\.mp4$/)]);
});

test("numbers that are none, as programs in Python print them, are read as null in metadata", async () => {
  const name = 'NaN "and" -Infinity';
  const text = JSON.stringify({
    ...{ OTIO_SCHEMA: "Timeline.1", name, tracks: { OTIO_SCHEMA: "Stack.1", children: [] } },
    metadata: { speed: "NUMBER", most: ["NUMBER"] },
  });
  const body = text.replace('"NUMBER"', "NaN").replace('"NUMBER"', "-Infinity");
  const send = (path: string) =>
    ann.request(path, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  expect(await requireJson(send(imports))).toMatchObject({ name });
  expect((await send(imports.replace("/from-otio", ""))).status).toBe(400);
});

test("what a work cannot show of a foreign timeline is listed, and its addresses are names alone", async () => {
  const time = (value: number) => ({ OTIO_SCHEMA: "RationalTime.1", value, rate: 24 });
  const range = (start: number, duration: number) => ({ start_time: time(start), duration: time(duration) });
  const clip = (url: string, start: number, more = {}) => ({
    ...{ OTIO_SCHEMA: "Clip.1", name: "c", source_range: range(86400 + start, 24) },
    media_reference: { OTIO_SCHEMA: "ExternalReference.1", target_url: url, available_range: range(86400, 240) },
    ...more,
  });
  const dissolve = {
    OTIO_SCHEMA: "Transition.1",
    transition_type: "SMPTE_Dissolve",
    in_offset: time(6),
    out_offset: time(6),
  };
  const effects = [{ OTIO_SCHEMA: "LinearTimeWarp.1", time_scalar: 2 }, { OTIO_SCHEMA: "Effect.1" }];
  const children = [
    clip("http://169.254.169.254/secret/one.mp4?token=1", 0),
    dissolve,
    clip("file:///etc/two%20b.mp4", 48, { effects }),
    { OTIO_SCHEMA: "Stack.1", source_range: range(0, 24), children: [] },
    { OTIO_SCHEMA: "SerializableObjectRef.1", id: "Timeline-1" },
    clip("C:\\clips\\one.mp4", 0, { enabled: false }),
  ];
  const timeline = {
    OTIO_SCHEMA: "Timeline.1",
    name: "Foreign",
    tracks: { children: [{ OTIO_SCHEMA: "Track.1", children }] },
  };
  const made = await requireJson(ann.json("POST", imports, timeline));
  expect(made).toMatchObject({ name: "Foreign", missingMedia: ["one.mp4", "two b.mp4"] });
  expect(made.lost).toEqual([
    "Effects and changes of speed are left out.",
    "Timelines within the timeline are left out.",
    "Clips that are switched off are gaps.",
  ]);
  expect(made.editorState.exportSettings.fps).toBe(24);
  expect(made.editorState.editorData.videoTrack).toMatchObject([
    { start: 0, end: 0.75, sceneIndex: 0, transitionType: "dissolve", transitionDuration: 0.5 },
    { start: 0.75, end: 2, sceneIndex: 1, trimStart: 1.5, speed: 2 },
  ]);
  expect(JSON.stringify(made)).not.toContain("169.254");
});

test("timelines that are none, too long or too deep are refused with a reason", async () => {
  const post = async (body: string) => {
    const response = await ann.request(imports, {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });
    return { status: response.status, ...(await response.json()) };
  };
  const withTracks = (tracks: unknown) => JSON.stringify({ OTIO_SCHEMA: "Timeline.1", tracks: { children: tracks } });
  const gaps = Array.from({ length: 3000 }, () => ({ OTIO_SCHEMA: "Gap.1" }));
  const track = { OTIO_SCHEMA: "Track.1", children: gaps };
  const deep = `{"OTIO_SCHEMA":"Timeline.1","tracks":{"children":[]},"metadata":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  expect(await post('{"OTIO_SCHEMA":"Clip.1"}')).toMatchObject({ status: 400, code: "validation_error" });
  expect(await post(withTracks([track, track]))).toMatchObject({
    ...{ status: 400, details: [{ path: "tracks", message: "Tracks must have at most 5000 items." }] },
  });
  const endless = {
    OTIO_SCHEMA: "Clip.1",
    source_range: { start_time: { value: 0, rate: 0 }, duration: { value: 1e300, rate: 1 } },
  };
  expect(await post(withTracks([{ OTIO_SCHEMA: "Track.1", children: [endless] }]))).toMatchObject({ status: 400 });
  const long = {
    OTIO_SCHEMA: "Gap.1",
    source_range: { start_time: { value: 0, rate: 1 }, duration: { value: 1e6, rate: 1 } },
  };
  expect(await post(withTracks([{ OTIO_SCHEMA: "Track.1", children: [long] }]))).toMatchObject({
    ...{ status: 400, details: [{ message: "Tracks must last at most 86400 seconds." }] },
  });
  expect((await post(deep)).status).toBeLessThan(500);
  const reference = { OTIO_SCHEMA: "SerializableObjectRef.1", id: "Timeline-1" };
  const cyclic = JSON.stringify({ OTIO_SCHEMA: "Timeline.1", OTIO_REF_ID: "Timeline-1", tracks: reference });
  expect(await post(cyclic)).toMatchObject({ status: 400, details: [{ path: "tracks.OTIO_SCHEMA" }] });
  const backwards = { ...long, source_range: { start_time: { value: 0, rate: 1 }, duration: { value: -5, rate: 1 } } };
  expect(await post(withTracks([{ OTIO_SCHEMA: "Track.1", children: [backwards] }]))).toMatchObject({ status: 400 });
});
