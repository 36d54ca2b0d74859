import { expect, test } from "bun:test";
import fc from "fast-check";
import { layOutClips } from "../../../src/engine/timeline/layout.ts";
import type { Overlay } from "../../../src/engine/timeline/overlay.ts";
import { cutSegments } from "../../../src/engine/timeline/segments.ts";
import { type FrameRange, frameRateOf } from "../../../src/engine/timeline/time.ts";
import type { Clip } from "../../../src/engine/timeline/track.ts";
import { videoSource } from "../../support/media/draw-media.ts";
import { textOverlay } from "../../support/media/drawn-overlays.ts";
import { clip, transitionInto } from "../../support/media/timelines.ts";

const rate = frameRateOf(30);
const sources = Array.from({ length: 40 }, (_, index) => videoSource(`source-${index}`));
const segmentsOf = (clips: readonly Clip[], overlays: readonly Overlay[] = []) =>
  cutSegments({ track: layOutClips(clips).track, overlays, rate });
const cutsOf = (...edit: Parameters<typeof segmentsOf>) => segmentsOf(...edit).map(({ start }) => start);

const anyClips = fc
  .array(
    fc.record({ frames: fc.integer({ min: 1, max: 400 }), blend: fc.nat(40), gap: fc.constantFrom(0, 0, 0, 50) }),
    {
      minLength: 1,
      maxLength: 30,
    },
  )
  .map((parts) => {
    let start = 0;
    return parts.map(({ frames, blend, gap }, index) => {
      const from = start + gap;
      start = from + frames;
      return clip(sources[index]!, from, start, blend > 0 ? transitionInto("fade", blend) : {});
    });
  });

const text = (start: number, end: number) => textOverlay("Sale", {}, { range: { start, end } });
const anyOverlays = fc.array(
  fc.tuple(fc.nat(3000), fc.integer({ min: 1, max: 300 })).map(([start, frames]) => text(start, start + frames)),
  { maxLength: 30 },
);

test("segments cover every frame once and in order", () => {
  fc.assert(
    fc.property(anyClips, anyOverlays, (clips, overlays) => {
      const { track } = layOutClips(clips);
      const segments = cutSegments({ track, overlays, rate });
      expect(segments.map(({ end }) => end)).toEqual([...segments.slice(1).map(({ start }) => start), track.frames]);
      expect(segments[0]!.start).toBe(0);
    }),
  );
});

test("no cut lies inside a transition of at most half a second", () => {
  fc.assert(
    fc.property(anyClips, anyOverlays, (clips, overlays) => {
      const { track } = layOutClips(clips.map((each) => ({ ...each, range: atLeastASecond(each.range) })));
      const starts = cutSegments({ track, overlays, rate }).map(({ start }) => start);
      for (const span of track.spans) {
        if (span.kind !== "transition" || span.whole.end - span.whole.start > 15) continue;
        expect(starts.filter((frame) => frame > span.whole.start && frame < span.whole.end)).toEqual([]);
      }
    }),
  );
});

const atLeastASecond = ({ start, end }: FrameRange): FrameRange => ({ start, end: Math.max(end, start + 30) });

test("segments last at most half a second, or a rest more", () => {
  fc.assert(
    fc.property(anyClips, (clips) => {
      const straight = clips.map((each) => ({ ...each, transition: { kind: "cut" as const, frames: 0 } }));
      for (const { start, end } of segmentsOf(straight)) expect(end - start).toBeLessThan(15 + 8);
    }),
  );
});

test("clips are cut where they begin, and from there every half second", () => {
  const clips = [clip(sources[0]!, 0, 75), clip(sources[1]!, 75, 140), clip(sources[2]!, 140, 150)];
  expect(cutsOf(clips)).toEqual([0, 15, 30, 45, 60, 75, 90, 105, 120, 135]);
});

test("clips with transitions are cut after each transition", () => {
  const clips = sources
    .slice(0, 3)
    .map((source, index) => clip(source, index * 75, index * 75 + 75, transitionInto("fade", 15)));
  expect(cutsOf(clips)).toEqual([0, 15, 30, 45, 60, 75, 90, 105, 120, 135, 150, 165, 180, 195, 210]);
});

test("a long transition is cut like a clip", () => {
  expect(cutsOf([clip(sources[0]!, 0, 60, transitionInto("fade", 50)), clip(sources[1]!, 60, 150)])).toEqual([
    0, 15, 30, 45, 60, 75, 90, 110, 125, 140,
  ]);
});

test("a segment is cut where an overlay begins or ends, if at least a third of a second does not show it", () => {
  const clips = [clip(sources[0]!, 0, 150)];
  expect(cutsOf(clips, [text(40, 109)])).toEqual([0, 15, 30, 40, 45, 60, 75, 90, 105, 109, 120, 135]);
  expect(cutsOf(clips, [text(36, 114)])).toEqual([0, 15, 30, 45, 60, 75, 90, 105, 120, 135]);
});

test("overlays that begin together, or one after the other, give one cut", () => {
  const clips = [clip(sources[0]!, 0, 150)];
  const cuts = [0, 15, 30, 45, 56, 60, 75, 90, 105, 120, 135];
  expect(cutsOf(clips, [text(56, 150), text(56, 150)])).toEqual(cuts);
  expect(cutsOf(clips, [text(0, 56), text(56, 150)])).toEqual(cuts);
});

test("segments are not cut at overlays that begin and end within a second of each other", () => {
  const clips = [clip(sources[0]!, 0, 150)];
  expect(cutsOf(clips, [text(40, 69), text(69, 97)])).toEqual([0, 15, 30, 45, 60, 75, 90, 105, 120, 135]);
});

test("an edit of an overlay's time moves only the cuts at it", () => {
  const clips = [clip(sources[0]!, 0, 600)];
  const before = cutsOf(clips, [text(100, 160), text(400, 460)]);
  const after = cutsOf(clips, [text(115, 175), text(400, 460)]);
  const later = (cuts: readonly number[]) => cuts.filter((frame) => frame > 180);
  expect(later(after)).toEqual(later(before));
});

test("inserting a clip at the start keeps the later cuts", () => {
  const originals = sources.slice(1).map((source, index) => clip(source, index * 70, index * 70 + 70));
  const later = originals.map((each) => ({
    ...each,
    range: { start: each.range.start + 60, end: each.range.end + 60 },
  }));

  const before = cutsOf(originals).map((frame) => frame + 60);
  const after = cutsOf([clip(sources[0]!, 0, 60), ...later]);

  const lastSeconds = (cuts: readonly number[]) => cuts.filter((frame) => frame > 900);
  expect(lastSeconds(after)).toEqual(lastSeconds(before));
});

test("a segment has at most 16 clips", () => {
  const clips = Array.from({ length: 500 }, (_, index) => clip(sources[index % 40]!, index * 3, index * 3 + 3));
  const lengths = segmentsOf(clips).map(({ start, end }) => (end - start) / 3);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(16);
  expect(lengths.length).toBeLessThanOrEqual(1500 / 15);
});

test("an empty track has no segments", () => {
  expect(cutSegments({ track: { frames: 0, spans: [] }, overlays: [], rate })).toEqual([]);
});
