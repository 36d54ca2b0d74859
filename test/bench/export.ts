import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { readEnvironment } from "../../src/env.ts";
import { findFfmpeg } from "../../src/media/ffmpeg/ffmpeg.ts";
import { testService } from "../helpers/service.ts";
import { type BenchRequest, clearRenderCache, clipAt, createExportRequest, exportVideo } from "./export-request.ts";
import { type Figure, report } from "./figures.ts";
import { drawFootage, type Footage } from "./footage.ts";
import { measureChildrenMemory, measureTime, medianOf } from "./measure.ts";

/**
 * Measures the export of a 30-second video relative to the minimum of any exporter (decoding the sources and encoding
 * the result), and a repeated export after an edit relative to the first one.
 */
const runs = 3;
const goals: Record<string, string> = {
  "changing nothing": "<= 0.02",
  "editing a text of 4 s": "<= 0.20",
  "moving an image shown for 4 s": "<= 0.25",
  "moving an image shown for 14 s": "",
  "changing the music": "<= 0.08",
  "appending a clip": "",
};
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const { path: ffmpeg, version } = await findFfmpeg(process.env.FFMPEG_PATH);
const { EXPORT_CONCURRENCY } = readEnvironment();
const service = await testService();
const title = `export of 30 s, ffmpeg ${version}`;

try {
  const footage = await drawFootage(ffmpeg, folder);
  const user = await service.register();
  const { request } = await createExportRequest(user, footage);
  const video = join(folder, "video.mp4");
  const exportUncached = async (uncached: object, path?: string) => {
    await clearRenderCache(service);
    await exportVideo(user, uncached, path);
  };

  // not within the timed runs, because sampling the memory takes CPU time
  const { peakMegabytes } = await measureChildrenMemory(() => exportUncached(request, video));
  const long = await createExportRequest(user, footage, { seconds: 600 });
  const { peakMegabytes: longPeakMegabytes } = await measureChildrenMemory(() => exportUncached(long.request));
  const runResults: RunResult[] = [];
  for (let run = 0; run < runs; run++) {
    const first = await measureTime(() => exportUncached(request, video));
    const again: Record<string, number> = {};
    for (const [name, edited] of Object.entries(editsOf(request, footage, run))) {
      again[name] = (await measureTime(() => exportVideo(user, edited))).cpu / first.cpu;
    }
    runResults.push({ cpu: first.cpu, wall: first.wall, minimum: await minimumCpu(footage, video), again });
  }
  report([...firstFigures(runResults, peakMegabytes, longPeakMegabytes), ...againFigures(runResults)]);
} finally {
  await service.close();
  await rm(folder, { recursive: true, force: true });
}

type RunResult = {
  readonly cpu: number;
  readonly wall: number;
  readonly minimum: number;
  /** CPU time of the export after each edit, relative to the first export. */
  readonly again: Readonly<Record<string, number>>;
};

/** Typical edits between two exports. Texts and positions differ in each run, so that runs share no cached parts. */
function editsOf(request: BenchRequest, { clips }: Footage, run: number): Record<string, object> {
  const { texts, images } = request;
  const shortText = { ...texts[0]!, position: 10.5, end: 14.5 };
  const withText = (words: string) => ({
    ...request,
    texts: [...texts.slice(0, 1), { ...shortText, text: words }, ...texts.slice(2)],
  });
  const withImageAt = (centerX: number) => ({
    ...request,
    images: [...images, { ...images[0]!, centerX, position: 15.5, end: 19.5 }],
  });
  return {
    "changing nothing": request,
    // not reported: adds the text that the next export edits
    "": withText(`Before ${run}`),
    "editing a text of 4 s": withText(`After ${run}`),
    // not reported: adds the image that the next export moves
    " ": withImageAt(0),
    "moving an image shown for 4 s": withImageAt(40 + run),
    "moving an image shown for 14 s": {
      ...request,
      images: [{ ...images[0]!, centerX: 40 + run }, ...images.slice(1)],
    },
    "changing the music": { ...request, audio: { ...request.audio, volume: 0.4 - run / 100 } },
    "appending a clip": {
      ...request,
      clips: [...request.clips, { ...clipAt(request.clips.length, clips.length), sceneIndex: run }],
    },
  };
}

/** CPU seconds of decoding the used ranges of the sources and of encoding the finished raw frames. */
async function minimumCpu({ clips }: Footage, video: string): Promise<number> {
  const decode = async () => {
    for (const clip of clips) await execa(ffmpeg, ["-v", "error", "-t", "5.5", "-i", clip, "-an", "-f", "null", "-"]);
  };
  const raw = join(folder, "video.yuv");
  const rawFormat = ["-f", "rawvideo", "-pix_fmt", "yuv420p"];
  await execa(ffmpeg, ["-v", "error", "-y", "-i", video, ...rawFormat, raw]);
  const frames = ["-s", "1080x1920", "-r", "30", "-i", raw];
  const quality = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-f", "null", "-"];
  const encode = () => execa(ffmpeg, ["-v", "error", ...rawFormat, ...frames, ...quality]);
  const decoding = await measureTime(decode);
  const encoding = await measureTime(encode);
  await rm(raw);
  return decoding.cpu + encoding.cpu;
}

function firstFigures(results: readonly RunResult[], peakMegabytes: number, longPeakMegabytes: number): Figure[] {
  const ratios = results.map(({ cpu, minimum }) => cpu / minimum);
  const median = (of: (result: RunResult) => number) => medianOf(results.map(of)).toFixed(1);
  const growth = (longPeakMegabytes / peakMegabytes).toFixed(2);
  return [
    { figure: `${title}, CPU / minimum`, measured: medianOf(ratios).toFixed(3), goal: "<= 1.10" },
    { figure: `${title}, CPU / minimum, worst`, measured: Math.max(...ratios).toFixed(3), goal: "" },
    {
      figure: `${title}, memory of ffmpeg`,
      measured: `${peakMegabytes} MB`,
      goal: `<= ${360 * EXPORT_CONCURRENCY} MB`,
    },
    { figure: `${title}, memory of ffmpeg at 10 min / at 30 s`, measured: growth, goal: "<= 1.2" },
    { figure: `${title}, CPU seconds`, measured: median((result) => result.cpu), goal: "" },
    { figure: `${title}, minimum CPU seconds`, measured: median((result) => result.minimum), goal: "" },
    { figure: `${title}, seconds`, measured: median((result) => result.wall), goal: "" },
  ];
}

function againFigures(results: readonly RunResult[]): Figure[] {
  return Object.entries(goals).map(([name, goal]) => {
    const shares = results.map(({ again }) => again[name]!);
    const measured = `${medianOf(shares).toFixed(3)} (worst ${Math.max(...shares).toFixed(3)})`;
    return { figure: `${title}, again after ${name}`, measured, goal };
  });
}
