import { expect, test } from "bun:test";
import type { ExportProgress } from "../../../src/engine/ports.ts";
import { sumProgress } from "../../../src/engine/render/progress.ts";

function watched(extent: Parameters<typeof sumProgress>[0]) {
  const sent: ExportProgress[] = [];
  return { ...sumProgress(extent, (progress) => sent.push(progress)), last: () => sent.at(-1) };
}

test("frames count once their pictures and their sound are rendered", () => {
  const { report, reportSound, last } = watched({ tasks: 2, frames: 1000, cachedFrames: 0 });
  report(0, { framesDone: 180, framesRendered: 180 });
  expect(last()).toEqual({ framesDone: 180, framesRendered: 180 });
  reportSound(0.1);
  expect(last()).toEqual({ framesDone: 100, framesRendered: 100 });
  report(1, { framesDone: 820, framesRendered: 820 });
  reportSound(0.25);
  expect(last()).toEqual({ framesDone: 250, framesRendered: 250 });
  reportSound(1);
  expect(last()).toEqual({ framesDone: 1000, framesRendered: 1000 });
});

test("with all pictures cached, the sound alone is followed", () => {
  const { reportSound, last } = watched({ tasks: 0, frames: 300, cachedFrames: 300 });
  expect(last()).toEqual({ framesDone: 0, framesRendered: 0 });
  reportSound(0.5);
  expect(last()).toEqual({ framesDone: 150, framesRendered: 0 });
  reportSound(1);
  expect(last()).toEqual({ framesDone: 300, framesRendered: 0 });
});
