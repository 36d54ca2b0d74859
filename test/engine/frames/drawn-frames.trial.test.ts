import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { clip, timeline } from "../../support/media/timelines.ts";
import { type ExportedEdit, expectDecodable, expectSameFrames, exportedEdit } from "./exported-edit.ts";

describe.each(testedFfmpegs)("with the $name ffmpeg", (build) => {
  let made: ExportedEdit;
  beforeAll(async () => {
    // all transitions and animations are in trials
    made = await exportedEdit(build, {
      kinds: ["fade", "slideleft", "circleopen"],
      animations: ["slideup"],
      quality: "standard",
    });
  });
  afterAll(() => made.remove());

  test("each frame is the frame of the export at its position, not a neighbor", () => expectSameFrames(made));

  test("a frame drawn alone is identical to the same frame drawn with others", async () => {
    const some = [3, 16, 48, 75];
    const together = await made.drawn(some);
    for (const [index, frame] of some.entries()) expect((await made.drawn([frame]))[0]).toEqual(together[index]!);
  });

  test("frames of cached segments are decoded from the segments", async () => {
    made.run.length = 0;
    const images = await made.drawn(made.every, { segmentCache: made.segmentCache });

    expect(made.run.every((inputs) => inputs.includes("/segments.h264"))).toBe(true);
    expect(images.map((image) => Bun.hash(image))).toEqual(made.exported.map((image) => Bun.hash(image)));
  });

  test.each([3, 29.97])("every frame of a cached segment can be decoded at %p frames per second", (fps) =>
    expectDecodable(made, fps),
  );

  test("a source that begins with damaged frames shows its first good one", async () => {
    const source = await made.numbers("damaged.mp4", "30", "-bf", "0", "-g", "5");
    const path = `${made.files}/${source.file}`;
    const bytes = Buffer.from(await Bun.file(path).bytes());
    const media = bytes.indexOf("mdat") + 4;
    const mediaBytes = bytes.readUInt32BE(media - 8);
    await Bun.write(path, bytes.fill(0, media, media + mediaBytes / 20));
    const [image] = await made.drawn([0], { timeline: timeline([clip(source, 0, 30)]) });
    expect(Math.max(...image!)).toBeGreaterThan(200);
  });

  test("projects do not share cached segments", async () => {
    made.run.length = 0;
    await made.drawn([3], { segmentCache: made.segmentCache, projectId: "another" });
    expect(made.run.some((inputs) => inputs.includes("/segments.h264"))).toBe(false);
  });
});
