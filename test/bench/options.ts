import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { findFfmpeg } from "../../src/media/ffmpeg/ffmpeg.ts";
import { testService } from "../helpers/service.ts";
import { benchFilm, exportFilm } from "./bench-film.ts";
import { type Figure, report } from "./figures.ts";
import { drawFootage, type Footage } from "./footage.ts";
import { timed } from "./measure.ts";

/** What each quality costs and gives, on the first ten seconds of the film, and four frames of it against one. */
const seconds = 10;
/** Frames that are compared. */
const looks = 20;
const shapes = ["9:16", "1:1", "16:9", "4:5"];
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const { path: ffmpeg, version } = await findFfmpeg(process.env.FFMPEG_PATH);
const service = await testService();

try {
  const footage = await drawFootage(ffmpeg, folder);
  const figures: Figure[] = [];
  await figuresOfQuality(footage, "draft"); // the first one bears what a start costs
  for (const quality of ["draft", "standard", "high"]) figures.push(...(await figuresOfQuality(footage, quality)));
  figures.push(...(await figuresOfTargets(footage)));
  report(figures);
} finally {
  await service.close();
  await rm(folder, { recursive: true, force: true });
}

/** Parts are shared between films of one owner, so each run has an owner of its own. */
async function begin(footage: Footage) {
  const user = await service.register();
  return { user, request: (await benchFilm(user, footage, { seconds })).request };
}

async function figuresOfQuality(footage: Footage, quality: string): Promise<Figure[]> {
  const { user, request } = await begin(footage);
  const film = join(folder, `${quality}.mp4`);
  const { cpu, wall } = await timed(() => exportFilm(user, { ...request, options: { quality } }, film));
  const { psnr, ssim } = await likeness(footage, film);
  const megabits = (Bun.file(film).size * 8) / seconds / 1e6;
  const title = `${quality}, ffmpeg ${version}`;
  return [
    { figure: `${title}, CPU seconds a second of film`, measured: (cpu / seconds).toFixed(2), goal: "" },
    { figure: `${title}, seconds a second of film`, measured: (wall / seconds).toFixed(2), goal: "" },
    { figure: `${title}, Mbit/s`, measured: megabits.toFixed(2), goal: "" },
    { figure: `${title}, PSNR / SSIM of luma`, measured: `${psnr} dB / ${ssim}`, goal: "" },
  ];
}

/** How near some frames of a film are to what was composited, both at the size that was asked for. */
async function likeness(footage: Footage, film: string) {
  // one who has rendered nothing gets frames that no encoder has seen
  const { user, request } = await begin(footage);
  const spacing = seconds / looks;
  for (let index = 0; index < looks; index++) {
    const answer = await user.json("POST", `/api/export/frame?t=${index * spacing}`, request);
    if (!answer.ok) throw new Error(await answer.text());
    await Bun.write(join(folder, `frame-${index}.png`), await answer.arrayBuffer());
  }
  const step = 30 * spacing;
  const graph = [
    `[0:v]select='not(mod(n,${step}))',setpts=N/TB,scale=1080:1920:flags=bicubic,format=gray,split[a][b]`,
    "[1:v]scale=out_color_matrix=bt709:out_range=tv,format=yuv420p,format=gray,setpts=N/TB,split[c][d]",
    "[a][c]psnr[e];[b][d]ssim[f]",
  ].join(";");
  const maps = ["-map", "[e]", "-f", "null", "-", "-map", "[f]", "-f", "null", "-"];
  const pictures = ["-i", film, "-i", join(folder, "frame-%d.png")];
  const { stderr } = await execa(ffmpeg, ["-hide_banner", ...pictures, "-filter_complex", graph, ...maps]);
  const found = (pattern: RegExp) => Number(pattern.exec(stderr)?.[1]);
  return { psnr: found(/PSNR .*average:([\d.]+)/).toFixed(1), ssim: found(/SSIM .*All:([\d.]+)/).toFixed(3) };
}

async function figuresOfTargets(footage: Footage): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const fit of ["contain", "cover", "blur"]) {
    const one = await cpuOfTargets(footage, fit, shapes.slice(0, 1));
    const four = await cpuOfTargets(footage, fit, shapes);
    const figure = `four targets / one, fit ${fit}, ffmpeg ${version}, CPU`;
    figures.push({ figure, measured: (four / one).toFixed(2), goal: "<= 3.2" });
  }
  return figures;
}

async function cpuOfTargets(footage: Footage, fit: string, targets: readonly string[]): Promise<number> {
  const { user, request } = await begin(footage);
  const clips = request.clips.map((clip) => ({ ...clip, fit }));
  const { cpu } = await timed(async () => {
    const ordered = await user.json("POST", "/api/exports", { ...request, clips, options: { targets } });
    const { id } = (await ordered.json()) as { id: string };
    await (await user.request(`/api/exports/${id}/events`)).text();
    const done = (await (await user.request(`/api/exports/${id}`)).json()) as { status: string };
    if (done.status !== "done") throw new Error(`The export ended as ${done.status}.`);
  });
  return cpu;
}
