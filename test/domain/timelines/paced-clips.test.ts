import { expect, test } from "bun:test";
import { editListOf } from "../../../src/domain/timelines/edit-list.ts";
import { edlOf } from "../../../src/domain/timelines/edl.ts";
import { fcpxmlOf } from "../../../src/domain/timelines/fcpxml.ts";
import { otioOf } from "../../../src/domain/timelines/otio.ts";
import { parseOtio, readOtio } from "../../../src/domain/timelines/read-otio.ts";
import { videoSource } from "../../support/media/draw-media.ts";
import { clip, timeline } from "../../support/media/timelines.ts";

const source = videoSource("dance.mp4", { durationSeconds: 20, hasSound: true });
const ramp = [
  { at: 0, value: 1, easing: "linear" },
  { at: 1, value: 3, easing: "linear" },
];
const list = editListOf({
  name: "Film",
  timeline: timeline([
    clip(source, 0, 30, { speed: 2, sourceStartSeconds: 1 }),
    clip(source, 30, 60, { reverses: true, sourceStartSeconds: 2 }),
    clip(source, 60, 90, { speed: ramp }),
    clip(source, 90, 120, { speed: 10, sourceStartSeconds: 15 }),
  ]),
  scenes: [],
});

test("clips at another speed keep it in OpenTimelineIO, and come back with it", async () => {
  const otio = JSON.parse(otioOf(list));
  const [pictures, sounds] = otio.tracks.children;
  const speeds = pictures.children.map((item: { effects: readonly { OTIO_SCHEMA: string; time_scalar: number }[] }) =>
    item.effects.map(({ OTIO_SCHEMA, time_scalar }) => `${OTIO_SCHEMA} ${time_scalar}`),
  );
  // the last one shows five seconds of its file in half a second, and then its last picture
  expect(speeds).toEqual([
    ["LinearTimeWarp.1 2"],
    ["LinearTimeWarp.1 -1"],
    ["LinearTimeWarp.1 2"],
    ["LinearTimeWarp.1 10"],
    ["FreezeFrame.1 0"],
  ]);
  expect(sounds.children.map(({ effects }: { effects: readonly unknown[] }) => effects.length)).toEqual([
    1, 1, 1, 1, 0,
  ]);
  const { clips } = await readOtio(await parseOtio(otio));
  expect(clips.map(({ start, end, mediaStart, speed }) => [start, end, mediaStart, speed])).toEqual([
    [0, 30, 30, 2],
    [30, 60, 89, -1],
    [60, 90, 0, 2],
    [90, 120, 450, 10],
  ]);
});

test("they are maps of time in FCPXML, and motion events in the EDL", () => {
  const xml = fcpxmlOf(list);
  expect(xml).toContain(
    '<timeMap><timept time="0s" value="30/30s" interp="linear"/><timept time="30/30s" value="90/30s" interp="linear"/></timeMap>',
  );
  expect(xml).toContain('value="89/30s" interp="linear"/><timept time="30/30s" value="59/30s"');
  const motion = edlOf(list)
    .split("\r\n")
    .filter((line) => line.startsWith("M2"));
  expect(motion.map((line) => line.slice(20, 26).trim())).toEqual(["060.0", "-030.0", "060.0", "300.0", "000.0"]);
  expect(list.lost).toContain("A speed that changes within a clip is its mean.");
});
