import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { findFfmpeg } from "../../src/media/ffmpeg.ts";
import { type TestUser, testService } from "../helpers/service.ts";
import { type Figure, report } from "./figures.ts";
import { drawFootage, type Footage } from "./footage.ts";
import { medianOf, timed, withChildrenMemory } from "./measure.ts";

/** The whole export of a 30-second film against what no exporter can do without: decoding its sources, encoding it. */
const runs = 3;
const transitions = ["fade", "slideleft", "wipeup", "circleopen", "dissolve", "cut"];
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const { path: ffmpeg, version } = await findFfmpeg(process.env.FFMPEG_PATH);
const service = await testService();

try {
  const footage = await drawFootage(ffmpeg, folder);
  const user = await service.register();
  const request = await upload(user, footage);
  const film = join(folder, "film.mp4");

  // apart from the timed runs, because watching memory costs time itself
  const { peakMegabytes } = await withChildrenMemory(() => exportTo(user, request, film));
  const rows: Row[] = [];
  for (let run = 0; run < runs; run++) {
    const { cpu, wall } = await timed(() => exportTo(user, request, film));
    rows.push({ cpu, wall, limit: await leastWork(footage, film) });
  }
  report(figuresOf(rows, peakMegabytes));
} finally {
  await service.close();
  await rm(folder, { recursive: true, force: true });
}

type Row = { readonly cpu: number; readonly wall: number; readonly limit: number };

async function upload(user: TestUser, footage: Footage) {
  const project = await created(user.json("POST", "/api/projects", { name: "Bench" }));
  const work = await created(user.json("POST", `/api/projects/${project.id}/works`, {}));
  const media = `/api/projects/${project.id}/works/${work.id}/media`;
  for (const [index, path] of footage.clips.entries()) await send(user, `${media}/scene/${index}/video`, "file", path);
  await send(user, `${media}/audio`, "audio", footage.music);
  const picture = await send(user, `/api/projects/${project.id}/assets`, "file", footage.picture);
  return { projectId: project.id, workId: work.id, ...edit(footage, picture.id) };
}

function edit({ clips }: Footage, assetId: string) {
  return {
    clips: clips.map((_, index) => ({
      sceneIndex: index,
      position: index * 5,
      end: index * 5 + 5,
      transition: transitions[index],
      transitionDuration: 0.5,
    })),
    texts: [0, 1, 2, 3].map((index) => ({
      text: `Line ${index + 1} of the film`,
      position: index * 7,
      end: index * 7 + 6,
      fontSize: 72,
      centerY: 500 - index * 150,
      strokeColor: "#000",
      strokeWidth: 4,
    })),
    images: [0, 1].map((index) => ({
      assetId,
      position: index * 15,
      end: index * 15 + 14,
      centerX: index * 200 - 100,
      centerY: -500,
      opacity: 0.5,
      rotation: 15,
    })),
    audio: { volume: 0.5 },
  };
}

async function send(user: TestUser, path: string, field: string, file: string) {
  const body = new FormData();
  body.set(field, Bun.file(file), file.split("/").at(-1)!);
  return created(user.request(path, { method: "POST", body }));
}

async function created(answer: Response | Promise<Response>): Promise<{ id: string }> {
  const response = await answer;
  if (!response.ok) throw new Error(await response.text());
  return await response.json();
}

async function exportTo(user: TestUser, request: object, path: string) {
  const response = await user.json("POST", "/api/export", request);
  if (!response.ok) throw new Error(await response.text());
  await Bun.write(path, await response.arrayBuffer());
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

function figuresOf(rows: readonly Row[], peakMegabytes: number): Figure[] {
  const ratios = rows.map(({ cpu, limit }) => cpu / limit);
  const median = (of: (row: Row) => number) => medianOf(rows.map(of)).toFixed(1);
  const title = `export of 30 s, ffmpeg ${version}`;
  return [
    { figure: `${title}, CPU / the limit`, measured: medianOf(ratios).toFixed(3), goal: "<= 1.15" },
    { figure: `${title}, CPU / the limit, worst`, measured: Math.max(...ratios).toFixed(3), goal: "" },
    { figure: `${title}, memory of ffmpeg`, measured: `${peakMegabytes} MB`, goal: "<= 850 MB" },
    { figure: `${title}, CPU seconds`, measured: median((row) => row.cpu), goal: "" },
    { figure: `${title}, CPU seconds of the limit`, measured: median((row) => row.limit), goal: "" },
    { figure: `${title}, seconds`, measured: median((row) => row.wall), goal: "" },
  ];
}
