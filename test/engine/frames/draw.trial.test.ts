import { afterAll, beforeAll, describe, test } from "bun:test";
import { animations } from "../../../src/engine/timeline/overlay.ts";
import { transitionKinds } from "../../../src/engine/timeline/track.ts";
import { testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { type ExportedEdit, expectDecodable, expectSameFrames, exportedEdit } from "./exported-edit.ts";

describe.each(testedFfmpegs)("with the $name ffmpeg", (build) => {
  let made: ExportedEdit;
  beforeAll(async () => {
    const kinds = transitionKinds.filter((kind) => kind !== "cut" && kind !== "luma");
    made = await exportedEdit(build, { kinds, animations, quality: "high" });
  });
  afterAll(() => made.remove());

  test("each frame of any transition and animation is the frame of the export at its position", () =>
    expectSameFrames(made));

  test.each([1, 7.5, 23.976])("every frame of a cached segment can be decoded at %p frames per second", (fps) =>
    expectDecodable(made, fps),
  );
});
