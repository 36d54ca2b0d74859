import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFfmpeg } from "../../src/media/ffmpeg/ffmpeg.ts";
import { testService } from "../helpers/service.ts";
import { createExportRequest, exportVideo } from "./export-request.ts";
import { type Figure, report } from "./figures.ts";
import { drawFootage } from "./footage.ts";
import { measureTime, medianOf } from "./measure.ts";

/** Measures the response times of frames and contact sheets of a 30-second video, before and after its export. */
const frames = 16;
const sheets = 3;
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const { path: ffmpeg, version } = await findFfmpeg(process.env.FFMPEG_PATH);
const service = await testService();

try {
  const footage = await drawFootage(ffmpeg, folder);
  const user = await service.register();
  const { request } = await createExportRequest(user, footage);
  const time = async (what: string) => {
    const { result, wall } = await measureTime(async () => user.json("POST", `/api/export/${what}`, request));
    if (!result.ok) throw new Error(await result.text());
    return wall * 1000;
  };
  /** Frames spread over the video, different ones for each `phase`. */
  const timeFrames = async (phase: number) => {
    const times: number[] = [];
    for (let index = 0; index < frames; index++) times.push(await time(`frame?t=${((index + phase) * 29) / frames}`));
    return times;
  };
  const timeSheets = async (before: () => Promise<unknown>) => {
    const times: number[] = [];
    for (let index = 0; index < sheets; index++) {
      await before();
      times.push(await time("contact-sheet"));
    }
    return times;
  };
  const clearFrameCache = () => rm(join(service.dataDir, "frames"), { recursive: true, force: true });

  await time("frame?t=0"); // warm-up
  const fromSources = await timeFrames(0.2);
  const sheetsFromSources = await timeSheets(clearFrameCache);
  await exportVideo(user, request);
  const fromSegments = await timeFrames(0.6);
  const again = await timeFrames(0.6);
  const sheetsFromSegments = await timeSheets(clearFrameCache);
  const sheetsAgain = await timeSheets(async () => {});

  report([
    figureOf("frame of a rendered video", fromSegments, "<= 300 ms"),
    figureOf("frame of a video not rendered yet", fromSources, ""),
    figureOf("repeated frame", again, "<= 300 ms"),
    figureOf("contact sheet of a rendered video", sheetsFromSegments, "<= 2500 ms"),
    figureOf("contact sheet of a video not rendered yet", sheetsFromSources, ""),
    figureOf("repeated contact sheet", sheetsAgain, "<= 2500 ms"),
  ]);
} finally {
  await service.close();
  await rm(folder, { recursive: true, force: true });
}

function figureOf(what: string, times: readonly number[], goal: string): Figure {
  const measured = `${medianOf(times).toFixed(0)} ms (worst ${Math.max(...times).toFixed(0)})`;
  return { figure: `${what}, 1080x1920, ffmpeg ${version}`, measured, goal };
}
