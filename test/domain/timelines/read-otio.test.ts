import { expect, test } from "bun:test";
import fc from "fast-check";
import { OtioTimeline, readOtio } from "../../../src/domain/timelines/read-otio.ts";

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
const read = (tracks: readonly object[], more: object = {}, stack: object = {}) =>
  readOtio(
    OtioTimeline.parse({
      OTIO_SCHEMA: "Timeline.1",
      tracks: { OTIO_SCHEMA: "Stack.1", children: tracks, ...stack },
      ...more,
    }),
  );

test("tracks that are switched off are left out, and named", () => {
  const title = { OTIO_SCHEMA: "GeneratorReference.1", parameters: { text: "DO NOT SHOW" } };
  const edit = read([
    track([clip("guide", 96)], { enabled: false }),
    track([clip("one", 48), clip("two", 48)]),
    track([clip("title", 48, { media_references: { DEFAULT_MEDIA: title } })], { enabled: false }),
    track([clip("sound", 48)], { kind: "Audio", enabled: false }),
  ]);
  expect(edit.clips.map(({ media }) => media.name)).toEqual(["one.mp4", "two.mp4"]);
  expect([edit.titles, edit.sounds, edit.overlays]).toEqual([[], [], []]);
  expect(edit.lost).toEqual(["Tracks that are switched off are left out."]);
});

test("fields that a work cannot show are named", () => {
  const effects = [{ OTIO_SCHEMA: "LinearTimeWarp.1" }];
  const off = [{ OTIO_SCHEMA: "Effect.1", enabled: false }];
  const note = { OTIO_SCHEMA: "Marker.2", name: "check this" };
  expect(read([track([clip("one", 48, { effects: off })])]).lost).toEqual([]);
  expect(read([track([clip("one", 48, { markers: [note] })], { effects, source_range: range(0, 24) })]).lost).toEqual([
    "Markers are left out.",
    "Trims of whole tracks are left out.",
    "Effects and changes of speed are left out.",
  ]);
  expect(read([track([clip("one", 48)])], {}, { enabled: false }).clips).toEqual([]);
});

test("the rate is that of the timeline, else of the pictures", () => {
  const sound = track([clip("sound", 48_000, { source_range: range(0, 48_000, 48_000) })], { kind: "Audio" });
  const pictures = track([clip("one", 50, { source_range: range(0, 50, 25) })]);
  expect(read([sound, pictures]).fps).toBe(25);
  expect(read([sound, pictures], { global_start_time: time(86_400, 23.976) }).fps).toBe(23.976);
});

test("lengths at other rates do not drift", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 2, max: 90 }), { minLength: 1, maxLength: 60 }),
      fc.constantFrom(23.976, 29.97, 50),
      (lengths, rate) => {
        const items = lengths.map((frames, at) => clip(`c${at}`, frames, { source_range: range(0, frames, rate) }));
        const { clips } = read([track(items)], { global_start_time: time(0, 25) });
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
