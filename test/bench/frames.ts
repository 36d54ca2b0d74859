import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFfmpeg } from "../../src/engine/ffmpeg/ffmpeg.ts";
import { testService } from "../support/service.ts";
import { createExportRequest, exportVideo } from "./export-request.ts";
import { type Figure, report } from "./figures.ts";
import { drawMusicAndImage, type Footage } from "./footage.ts";
import { clipKinds, encodeClips } from "./gop-footage.ts";
import { measureTime, medianOf, untilProxies } from "./measure.ts";

/**
 * Measures frames and contact sheets of 15-second videos on clips of several kinds: without proxies, with them, and
 * after the export.
 */
const seconds = 15;
const frames = 16;
const sheets = 3;
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const { path: ffmpeg, version } = await findFfmpeg(process.env.FFMPEG_PATH);
const service = await testService();

type Times = readonly { readonly wall: number; readonly cpu: number }[];

try {
  const others = await drawMusicAndImage(ffmpeg, folder);
  const figures: Figure[] = [];
  for (const kind of Object.keys(clipKinds)) {
    figures.push(...(await measureFootage(kind, { ...others, clips: await encodeClips(folder, kind) })));
  }
  report(figures);
} finally {
  await service.close();
  await rm(folder, { recursive: true, force: true });
}
// the database stays open for a next test, and would keep this process
process.exit();

async function measureFootage(kind: string, footage: Footage): Promise<readonly Figure[]> {
  const user = await service.register();
  const { request } = await createExportRequest(user, footage, { seconds });
  const time = async (what: string) => {
    const { result, wall, cpu } = await measureTime(async () => user.json("POST", `/api/export/${what}`, request));
    if (!result.ok) throw new Error(await result.text());
    return { wall, cpu };
  };
  /** Frames spread over the video, different ones for each `phase`. */
  const timeFrames = async (phase: number) => {
    const times: Awaited<ReturnType<typeof time>>[] = [];
    for (let index = 0; index < frames; index++) {
      times.push(await time(`frame?t=${((index + phase) * (seconds - 1)) / frames}`));
    }
    return times;
  };
  const timeSheets = async (before: () => Promise<unknown>) => {
    const times: Awaited<ReturnType<typeof time>>[] = [];
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
  await untilProxies(process.pid);
  await time("frame?t=0.1"); // warm-up
  const fromProxies = await timeFrames(0.4);
  const sheetsFromProxies = await timeSheets(clearFrameCache);
  await exportVideo(user, request);
  const fromSegments = await timeFrames(0.6);
  const again = await timeFrames(0.6);
  const sheetsFromSegments = await timeSheets(clearFrameCache);

  const figureOf = (what: string, times: Times, goal: string): Figure => {
    const wall = times.map((each) => each.wall * 1000);
    const cpu = medianOf(times.map((each) => each.cpu * 1000));
    const measured = `${medianOf(wall).toFixed(0)} ms (worst ${Math.max(...wall).toFixed(0)}, CPU ${cpu.toFixed(0)})`;
    return { figure: `${what}, ${kind}, ffmpeg ${version}`, measured, goal };
  };
  return [
    figureOf("frame of a rendered video", fromSegments, "<= 150 ms"),
    figureOf("frame of a video not rendered yet", fromProxies, "<= 400 ms"),
    figureOf("frame of a video just uploaded", fromSources, ""),
    figureOf("repeated frame", again, "<= 150 ms"),
    figureOf("contact sheet of a rendered video", sheetsFromSegments, "<= 1500 ms"),
    figureOf("contact sheet of a video not rendered yet", sheetsFromProxies, "<= 1500 ms"),
    figureOf("contact sheet of a video just uploaded", sheetsFromSources, ""),
  ];
}
