import { expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { issuesOf, parseInput } from "../../../src/domain/shared/validation.ts";
import { OtioTimeline, parseOtio, readOtio } from "../../../src/domain/timelines/read-otio.ts";

const time = (value: number, rate = 24) => ({ OTIO_SCHEMA: "RationalTime.1", value, rate });
const range = (start: number, frames: number, rate = 24) => ({
  OTIO_SCHEMA: "TimeRange.1",
  ...{ start_time: time(start, rate), duration: time(frames, rate) },
});
const clip = (name: string, frames: number, more: object = {}) => ({
  ...{ OTIO_SCHEMA: "Clip.2", name, source_range: range(0, frames), active_media_reference_key: "DEFAULT_MEDIA" },
  media_references: { DEFAULT_MEDIA: { OTIO_SCHEMA: "ExternalReference.1", target_url: `file:///a/${name}.mp4` } },
  ...more,
});
const track = (children: readonly object[], more: object = {}) => ({
  ...{ OTIO_SCHEMA: "Track.1", kind: "Video", children },
  ...more,
});
const bodyOf = (tracks: readonly object[], more: object = {}, stack: object = {}) => ({
  ...{ OTIO_SCHEMA: "Timeline.1", tracks: { OTIO_SCHEMA: "Stack.1", children: tracks, ...stack } },
  ...more,
});
const read = async (...body: Parameters<typeof bodyOf>) => await readOtio(await parseOtio(bodyOf(...body)));

test("tracks that are switched off are left out, and named", async () => {
  const title = { OTIO_SCHEMA: "GeneratorReference.1", parameters: { text: "DO NOT SHOW" } };
  const edit = await read([
    track([clip("guide", 96)], { enabled: false }),
    track([clip("one", 48), clip("two", 48)]),
    track([clip("title", 48, { media_references: { DEFAULT_MEDIA: title } })], { enabled: false }),
    track([clip("sound", 48)], { kind: "Audio", enabled: false }),
  ]);
  expect(edit.clips.map(({ media }) => media.name)).toEqual(["one.mp4", "two.mp4"]);
  expect([edit.titles, edit.sounds, edit.overlays]).toEqual([[], [], []]);
  expect(edit.lost).toEqual(["Tracks that are switched off are left out."]);
});

test("fields that a work cannot show are named", async () => {
  const effects = [{ OTIO_SCHEMA: "LinearTimeWarp.1" }];
  const off = [{ OTIO_SCHEMA: "Effect.1", enabled: false }];
  const note = { OTIO_SCHEMA: "Marker.2", name: "check this" };
  expect((await read([track([clip("one", 48, { effects: off })])])).lost).toEqual([]);
  const marked = track([clip("one", 48, { markers: [note] })], { effects, source_range: range(0, 24) });
  expect((await read([marked])).lost).toEqual([
    "Markers are left out.",
    "Trims of whole tracks are left out.",
    "Effects and changes of speed are left out.",
  ]);
  expect((await read([track([clip("one", 48)])], {}, { enabled: false })).clips).toEqual([]);
});

test("the rate is that of the timeline, else of the pictures", async () => {
  const sound = track([clip("sound", 48_000, { source_range: range(0, 48_000, 48_000) })], { kind: "Audio" });
  const pictures = track([clip("one", 50, { source_range: range(0, 50, 25) })]);
  expect((await read([sound, pictures])).fps).toBe(25);
  expect((await read([sound, pictures], { global_start_time: time(86_400, 23.976) })).fps).toBe(23.976);
});

test("lengths at other rates do not drift", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 2, max: 90 }), { minLength: 1, maxLength: 60 }),
      fc.constantFrom(23.976, 29.97, 50),
      async (lengths, rate) => {
        const items = lengths.map((frames, at) => clip(`c${at}`, frames, { source_range: range(0, frames, rate) }));
        const { clips } = await read([track(items)], { global_start_time: time(0, 25) });
        const exact = { 23.976: 24000 / 1001, 29.97: 30000 / 1001, 50: 50 }[rate]!;
        let seconds = 0;
        for (const [at, frames] of lengths.entries()) {
          seconds += frames / exact;
          expect(Math.abs(clips[at]!.end - seconds * 25)).toBeLessThanOrEqual(0.501);
        }
      },
    ),
  );
});

test("a long timeline is parsed and read in turns with other work", async () => {
  const tracks = [track(Array.from({ length: 5_000 }, (_, at) => clip(`c${at}`, 24)))];
  const body = bodyOf(tracks);
  const turnsDuring = async (work: Promise<unknown>) => {
    let isRunning = true;
    const ending = work.finally(() => {
      isRunning = false;
    });
    let turns = 0;
    for (; isRunning; turns++) await setImmediate();
    await ending;
    return turns;
  };
  expect(await turnsDuring(parseOtio(body))).toBeGreaterThan(1);
  expect((await readOtio(await parseOtio(body))).clips).toHaveLength(5_000);
});

test("an item is named where it stands, as the whole schema names it", async () => {
  const items = Array.from({ length: 250 }, (_, at) => clip(`c${at}`, 24, at === 220 ? { enabled: "no" } : {}));
  for (const body of [bodyOf([track([]), track(items)]), bodyOf([track(items, { kind: 1 })]), {}, [], { tracks: [] }]) {
    const { error } = parseInput(OtioTimeline, body);
    const issues = issuesOf(error!).slice(0, 1);
    expect(await parseOtio(body).catch(({ facts }) => facts.issues.slice(0, 1))).toEqual(issues);
  }
  const whole = bodyOf([track(items.slice(0, 220)), { OTIO_SCHEMA: "Track.1" }]);
  expect(await parseOtio(whole)).toEqual(OtioTimeline.parse(whole));
});
