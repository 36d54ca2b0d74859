import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { findFfmpeg } from "../../src/engine/ffmpeg/ffmpeg.ts";
import { testService } from "../support/service.ts";
import { createExportRequest, exportVideo } from "./export-request.ts";
import { type Figure, report } from "./figures.ts";
import { drawFootage, type Footage } from "./footage.ts";
import { measureTime } from "./measure.ts";

/** Measures the cost and the result of each quality on ten seconds of video, and the cost of four targets over one. */
const seconds = 10;
const comparedFrames = 20;
const aspectRatios = ["9:16", "1:1", "16:9", "4:5"];
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const { path: ffmpeg, version } = await findFfmpeg(process.env.FFMPEG_PATH);
const service = await testService();

try {
  const footage = await drawFootage(ffmpeg, folder);
  const figures: Figure[] = [];
  await figuresOfQuality(footage, "draft"); // warm-up
  for (const quality of ["draft", "standard", "high"]) figures.push(...(await figuresOfQuality(footage, quality)));
  figures.push(...(await figuresOfTargets(footage)));
  report(figures);
} finally {
  await service.close();
  await rm(folder, { recursive: true, force: true });
}
// the database stays open for a next test, and would keep this process
process.exit();

/** Cached parts are shared between the videos of one user, so each run has a new user. */
async function newRequest(footage: Footage) {
  const user = await service.register();
  return { user, request: (await createExportRequest(user, footage, { seconds })).request };
}

async function figuresOfQuality(footage: Footage, quality: string): Promise<Figure[]> {
  const { user, request } = await newRequest(footage);
  const video = join(folder, `${quality}.mp4`);
  const { cpu, wall } = await measureTime(() => exportVideo(user, { ...request, options: { quality } }, video));
  const { psnr, ssim } = await similarity(footage, video);
  const megabits = (Bun.file(video).size * 8) / seconds / 1e6;
  const title = `${quality}, ffmpeg ${version}`;
  return [
    { figure: `${title}, CPU seconds per second of video`, measured: (cpu / seconds).toFixed(2), goal: "" },
    { figure: `${title}, seconds per second of video`, measured: (wall / seconds).toFixed(2), goal: "" },
    { figure: `${title}, Mbit/s`, measured: megabits.toFixed(2), goal: "" },
    { figure: `${title}, PSNR / SSIM of luma`, measured: `${psnr} dB / ${ssim}`, goal: "" },
  ];
}

/** Compares frames of an exported video with the composited frames, both at the requested size. */
async function similarity(footage: Footage, video: string) {
  // a user without cached segments gets frames composited from the sources, which were never encoded
  const { user, request } = await newRequest(footage);
  const spacing = seconds / comparedFrames;
  for (let index = 0; index < comparedFrames; index++) {
    const response = await user.json("POST", `/api/export/frame?t=${index * spacing}`, request);
    if (!response.ok) throw new Error(await response.text());
    await Bun.write(join(folder, `frame-${index}.png`), await response.arrayBuffer());
  }
  const step = 30 * spacing;
  const graph = [
    `[0:v]select='not(mod(n,${step}))',setpts=N/TB,scale=1080:1920:flags=bicubic,format=gray,split[a][b]`,
    "[1:v]scale=out_color_matrix=bt709:out_range=tv,format=yuv420p,format=gray,setpts=N/TB,split[c][d]",
    "[a][c]psnr[e];[b][d]ssim[f]",
  ].join(";");
  const maps = ["-map", "[e]", "-f", "null", "-", "-map", "[f]", "-f", "null", "-"];
  const inputs = ["-i", video, "-i", join(folder, "frame-%d.png")];
  const { stderr } = await execa(ffmpeg, ["-hide_banner", ...inputs, "-filter_complex", graph, ...maps]);
  const found = (pattern: RegExp) => Number(pattern.exec(stderr)?.[1]);
  return { psnr: found(/PSNR .*average:([\d.]+)/).toFixed(1), ssim: found(/SSIM .*All:([\d.]+)/).toFixed(3) };
}

async function figuresOfTargets(footage: Footage): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const fit of ["contain", "cover", "blur"]) {
    const one = await cpuOfTargets(footage, fit, aspectRatios.slice(0, 1));
    const four = await cpuOfTargets(footage, fit, aspectRatios);
    const figure = `four targets / one, fit ${fit}, ffmpeg ${version}, CPU`;
    figures.push({ figure, measured: (four / one).toFixed(2), goal: "<= 3.2" });
  }
  return figures;
}

async function cpuOfTargets(footage: Footage, fit: string, targets: readonly string[]): Promise<number> {
  const { user, request } = await newRequest(footage);
  const clips = request.clips.map((clip) => ({ ...clip, fit }));
  const { cpu } = await measureTime(async () => {
    const created = await user.json("POST", "/api/exports", { ...request, clips, options: { targets } });
    const { id } = (await created.json()) as { id: string };
    await (await user.request(`/api/exports/${id}/events`)).text();
    const done = (await (await user.request(`/api/exports/${id}`)).json()) as { status: string };
    if (done.status !== "done") throw new Error(`The export ended as ${done.status}.`);
  });
  return cpu;
}
