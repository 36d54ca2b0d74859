import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { readEnvironment } from "../../src/env.ts";
import { findFfmpeg } from "../../src/media/ffmpeg/ffmpeg.ts";
import { testService } from "../helpers/service.ts";
import { type BenchRequest, benchFilm, clipAt, exportFilm, forgetParts } from "./bench-film.ts";
import { type Figure, report } from "./figures.ts";
import { drawFootage, type Footage } from "./footage.ts";
import { medianOf, timed, withChildrenMemory } from "./measure.ts";

/**
 * The export of a 30-second film against what no exporter can do without, decoding its sources and encoding it, and
 * what it costs again after an edit, against the first time.
 */
const runs = 3;
const goals: Record<string, string> = {
  "changing nothing": "<= 0.02",
  "editing a text of 4 s": "<= 0.20",
  "moving a picture seen for 4 s": "<= 0.25",
  "moving a picture seen for 14 s": "",
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
  const { request } = await benchFilm(user, footage);
  const film = join(folder, "film.mp4");
  const cold = async (wanted: object, path?: string) => {
    await forgetParts(service);
    await exportFilm(user, wanted, path);
  };

  // apart from the timed runs, because watching memory costs time itself
  const { peakMegabytes } = await withChildrenMemory(() => cold(request, film));
  const long = await benchFilm(user, footage, { seconds: 600 });
  const { peakMegabytes: longPeakMegabytes } = await withChildrenMemory(() => cold(long.request));
  const rows: Row[] = [];
  for (let run = 0; run < runs; run++) {
    const first = await timed(() => cold(request, film));
    const again: Record<string, number> = {};
    for (const [name, edited] of Object.entries(editsOf(request, footage, run))) {
      again[name] = (await timed(() => exportFilm(user, edited))).cpu / first.cpu;
    }
    rows.push({ cpu: first.cpu, wall: first.wall, limit: await leastWork(footage, film), again });
  }
  report([...firstFigures(rows, peakMegabytes, longPeakMegabytes), ...againFigures(rows)]);
} finally {
  await service.close();
  await rm(folder, { recursive: true, force: true });
}

type Row = {
  readonly cpu: number;
  readonly wall: number;
  readonly limit: number;
  /** CPU of an export after an edit, as a share of the first one's. */
  readonly again: Readonly<Record<string, number>>;
};

/** What people change between two exports; a new text or place in each run, so that no run finds the parts of another. */
function editsOf(request: BenchRequest, { clips }: Footage, run: number): Record<string, object> {
  const { texts, images } = request;
  const shortText = { ...texts[0]!, position: 10.5, end: 14.5 };
  const text = (words: string) => ({
    ...request,
    texts: [...texts.slice(0, 1), { ...shortText, text: words }, ...texts.slice(2)],
  });
  const picture = (centerX: number) => ({
    ...request,
    images: [...images, { ...images[0]!, centerX, position: 15.5, end: 19.5 }],
  });
  return {
    "changing nothing": request,
    // not counted: it brings the text that is edited next
    "": text(`Before ${run}`),
    "editing a text of 4 s": text(`After ${run}`),
    // not counted either: it brings the picture that is moved next
    " ": picture(0),
    "moving a picture seen for 4 s": picture(40 + run),
    "moving a picture seen for 14 s": {
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

/** CPU seconds of decoding the used ranges of the sources, and of encoding the finished frames from raw ones. */
async function leastWork({ clips }: Footage, film: string): Promise<number> {
  const decode = async () => {
    for (const clip of clips) await execa(ffmpeg, ["-v", "error", "-t", "5.5", "-i", clip, "-an", "-f", "null", "-"]);
  };
  const raw = join(folder, "film.yuv");
  const rawFormat = ["-f", "rawvideo", "-pix_fmt", "yuv420p"];
  await execa(ffmpeg, ["-v", "error", "-y", "-i", film, ...rawFormat, raw]);
  const frames = ["-s", "1080x1920", "-r", "30", "-i", raw];
  const quality = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-f", "null", "-"];
  const encode = () => execa(ffmpeg, ["-v", "error", ...rawFormat, ...frames, ...quality]);
  const [decoding, encoding] = [await timed(decode), await timed(encode)];
  await rm(raw);
  return decoding.cpu + encoding.cpu;
}

function firstFigures(rows: readonly Row[], peakMegabytes: number, longPeakMegabytes: number): Figure[] {
  const ratios = rows.map(({ cpu, limit }) => cpu / limit);
  const median = (of: (row: Row) => number) => medianOf(rows.map(of)).toFixed(1);
  const flat = (longPeakMegabytes / peakMegabytes).toFixed(2);
  return [
    { figure: `${title}, CPU / the limit`, measured: medianOf(ratios).toFixed(3), goal: "<= 1.10" },
    { figure: `${title}, CPU / the limit, worst`, measured: Math.max(...ratios).toFixed(3), goal: "" },
    {
      figure: `${title}, memory of ffmpeg`,
      measured: `${peakMegabytes} MB`,
      goal: `<= ${360 * EXPORT_CONCURRENCY} MB`,
    },
    { figure: `${title}, memory of ffmpeg at 10 min / at 30 s`, measured: flat, goal: "<= 1.2" },
    { figure: `${title}, CPU seconds`, measured: median((row) => row.cpu), goal: "" },
    { figure: `${title}, CPU seconds of the limit`, measured: median((row) => row.limit), goal: "" },
    { figure: `${title}, seconds`, measured: median((row) => row.wall), goal: "" },
  ];
}

function againFigures(rows: readonly Row[]): Figure[] {
  return Object.entries(goals).map(([name, goal]) => {
    const shares = rows.map(({ again }) => again[name]!);
    const measured = `${medianOf(shares).toFixed(3)} (worst ${Math.max(...shares).toFixed(3)})`;
    return { figure: `${title}, again after ${name}`, measured, goal };
  });
}
