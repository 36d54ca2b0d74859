import { expect, test } from "bun:test";
import fc from "fast-check";
import { layOutClips } from "../../src/timeline/layout.ts";
import { cutSegments } from "../../src/timeline/segments.ts";
import { frameRateOf } from "../../src/timeline/time.ts";
import type { Clip } from "../../src/timeline/track.ts";
import { videoSource } from "../helpers/media/draw-media.ts";
import { clip, transitionInto } from "../helpers/media/timelines.ts";

const rate = frameRateOf(30);
const sources = Array.from({ length: 40 }, (_, index) => videoSource(`source-${index}`));
const cutsOf = (clips: readonly Clip[]) => cutSegments(layOutClips(clips).track, rate).map(({ start }) => start);

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

test("segments cover every frame once and in order", () => {
  fc.assert(
    fc.property(anyClips, (clips) => {
      const { track } = layOutClips(clips);
      const segments = cutSegments(track, rate);
      expect(segments.map(({ end }) => end)).toEqual([...segments.slice(1).map(({ start }) => start), track.frames]);
      expect(segments[0]!.start).toBe(0);
    }),
  );
});

test("no cut lies inside a transition", () => {
  fc.assert(
    fc.property(anyClips, (clips) => {
      const { track } = layOutClips(clips);
      const starts = cutSegments(track, rate).map(({ start }) => start);
      for (const span of track.spans) {
        if (span.kind !== "transition") continue;
        expect(starts.filter((frame) => frame > span.whole.start && frame < span.whole.end)).toEqual([]);
      }
    }),
  );
});

test("segments last 3 to 8 seconds where the track can be cut", () => {
  fc.assert(
    fc.property(anyClips, (clips) => {
      const { track } = layOutClips(clips.map((each) => ({ ...each, transition: { kind: "cut", frames: 0 } })));
      for (const { start, end } of cutSegments(track, rate)) {
        expect(end - start).toBeLessThanOrEqual(330);
        if (track.frames > 240) expect(end - start).toBeGreaterThanOrEqual(90);
      }
    }),
  );
});

test("clips of five seconds are cut at every clip", () => {
  const clips = sources.slice(0, 6).map((source, index) => clip(source, index * 150, index * 150 + 150));
  expect(cutsOf(clips)).toEqual([0, 150, 300, 450, 600, 750]);
});

test("clips of five seconds with transitions are cut after each transition", () => {
  const clips = sources
    .slice(0, 4)
    .map((source, index) => clip(source, index * 150, index * 150 + 150, transitionInto("fade", 15)));
  expect(cutsOf(clips)).toEqual([0, 165, 315, 465]);
});

test("a long clip is cut on a grid that starts with the clip", () => {
  expect(
    cutsOf([clip(sources[0]!, 0, 40), clip(sources[1]!, 40, 640)])
      .slice(1)
      .every((frame) => (frame - 40) % 150 === 0),
  ).toBe(true);
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
  const lengths = cutSegments(layOutClips(clips).track, rate).map(({ start, end }) => (end - start) / 3);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(16);
  expect(lengths.length).toBeLessThan(90);
});

test("an empty track has no segments", () => {
  expect(cutSegments({ frames: 0, spans: [] }, rate)).toEqual([]);
});
