import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFfmpeg } from "../../src/engine/ffmpeg/ffmpeg.ts";
import type { TestUser } from "../support/service.ts";
import { exportVideo } from "./export-request.ts";
import { type Figure, report } from "./figures.ts";
import type { ClipKind } from "./films/clips.ts";
import { limitOf } from "./films/limit.ts";
import { figureOf } from "./films/ratios.ts";
import { sixClips } from "./films/requests.ts";
import { type Footage, makeFootage, registerAt, startFilmService, uploadFootage } from "./films/service.ts";
import { runs } from "./films/settings.ts";
import { measureTime, medianOf, untilProxies } from "./measure.ts";

/**
 * Measures all that a service spends from the upload of six clips of six seconds to the end of the first film of 15
 * seconds, of the second draft, and of the tenth preview: what it does in the background is part of each sum. The wall
 * time between the steps is that of people, who look at a result before they ask for the next one.
 */
const previews = 10;
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const { path: ffmpeg, version } = await findFfmpeg(process.env.FFMPEG_PATH);
const service = await startFilmService(join(folder, "data"), ffmpeg);

const clipsOf = (name: string, gop: number): readonly ClipKind[] => {
  const common = { rate: "30", seconds: 6, isPortrait: true, isMoving: true, gop };
  return Array.from({ length: 6 }, (_, index) => ({
    ...{ ...common, name: `${name}-${index}`, hasSound: index % 2 === 0, matrix: "bt709" },
    ...{ footage: index < 4 ? "bottle-detection.mp4" : "car-detection.mp4", firstFrame: 190 * (index % 4) },
  }));
};

const kinds = { "a keyframe every 2 s": clipsOf("two-seconds", 60), "one keyframe": clipsOf("one-keyframe", 9999) };

/** For a request whose clips alone matter. */
const noUploads = { projectId: "", workId: "", imageId: "", musicUrls: [""] };

type Way = Awaited<ReturnType<typeof measureWays>>;

try {
  const figures: Figure[] = [];
  for (const [name, clips] of Object.entries(kinds)) {
    const footage = await makeFootage(folder, clips);
    await measureFilm(footage); // warm-up, and the finished film
    const limit = limitOf(ffmpeg, sixClips(noUploads), footage.clips, join(folder, "film.yuv"));
    await limit.prepare(join(folder, "film.mp4"));
    const ways: (Way & { readonly limitCpu: number })[] = [];
    for (let run = 0; run < runs; run++) {
      ways.push({ ...(await measureWays(footage)), limitCpu: await limit.cpuSeconds() });
    }
    await limit.close();
    figures.push(...figuresOf(name, ways));
  }
  report(figures);
} finally {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Each way begins with an upload of its own. */
async function measureWays(footage: Footage) {
  return {
    film: await measureFilm(footage),
    draft: await measureWay(footage, async ({ user, request, step }) => {
      const draft = (cutFrom: number) => ({
        ...{ ...request, options: { quality: "draft" } },
        clips: request.clips.map((clip) => ({ ...clip, cutFrom: clip.cutFrom + cutFrom })),
      });
      const first = await step(() => exportVideo(user, draft(0)));
      return { first, second: await step(() => exportVideo(user, draft(0.1))) };
    }),
    previews: await measureWay(footage, async ({ user, request, step }) => {
      const preview = (index: number, width: number) =>
        step(() => frameOf(user, request, `frame?t=${0.3 + 1.45 * index}&width=${width}`));
      const small: Step[] = [];
      for (let index = 0; index < previews; index++) small.push(await preview(index, 540));
      return { first: small[0]!, tenth: small.at(-1)!, small };
    }),
    large: await measureWay(footage, async ({ user, request, step }) => {
      const times: Step[] = [];
      for (let index = 0; index < previews; index++) {
        times.push(await step(() => frameOf(user, request, `frame?t=${0.3 + 1.45 * index}`)));
      }
      return { times };
    }),
  };
}

function measureFilm(footage: Footage) {
  return measureWay(footage, async ({ user, request, step }) => ({
    film: await step(() => exportVideo(user, request, join(folder, "film.mp4"))),
  }));
}

type Step = { readonly cpu: number; readonly wall: number };

type Tools = {
  readonly user: TestUser;
  readonly request: ReturnType<typeof sixClips>;
  /** Measures a step and what it causes in the background, which is not part of its own figure. */
  step(work: () => Promise<void>): Promise<Step>;
};

async function measureWay<Steps extends object>(footage: Footage, walk: (tools: Tools) => Promise<Steps>) {
  let upload = 0;
  const { result, cpu } = await measureTime(async () => {
    const user = await registerAt(service);
    const uploading = await measureTime(() => uploadFootage(user, footage), service.pid);
    upload = uploading.cpu;
    await untilProxies(service.pid);
    const step = async (work: () => Promise<void>) => {
      const { cpu, wall } = await measureTime(work, service.pid);
      await untilProxies(service.pid);
      return { cpu, wall };
    };
    return await walk({ user, request: sixClips(uploading.result), step });
  }, service.pid);
  return { ...result, upload, sum: cpu };
}

async function frameOf(user: TestUser, request: object, what: string): Promise<void> {
  const response = await user.json("POST", `/api/export/${what}`, request);
  if (!response.ok) throw new Error(await response.text());
  await response.arrayBuffer();
}

function figuresOf(name: string, ways: readonly (Way & { readonly limitCpu: number })[]): readonly Figure[] {
  const title = `six clips with ${name}, ffmpeg ${version}`;
  const figure = (what: string, of: (way: (typeof ways)[number]) => number, goal = "", digits = 2) =>
    figureOf(`${title}, ${what}`, ways.map(of), goal, digits);
  const medianCpu = (steps: readonly Step[]) => medianOf(steps.map(({ cpu }) => cpu));
  return [
    figure("CPU from upload to film / limit", ({ film, limitCpu }) => film.sum / limitCpu, "<= 1.15"),
    figure("limit CPU s", ({ limitCpu }) => limitCpu, "", 1),
    figure("upload CPU s", ({ film }) => film.upload, "", 1),
    figure("film CPU s", ({ film }) => film.film.cpu, "", 1),
    figure("background CPU s", ({ film }) => film.sum - film.upload - film.film.cpu, "", 1),
    figure("CPU s from upload to second draft", ({ draft }) => draft.sum, "", 1),
    figure("first draft CPU s", ({ draft }) => draft.first.cpu, "", 1),
    figure("second draft CPU s", ({ draft }) => draft.second.cpu, "", 1),
    figure("CPU s from upload to tenth preview", ({ previews }) => previews.sum, "", 1),
    figure("first preview CPU s", ({ previews }) => previews.first.cpu),
    figure("previews 2 to 10 CPU s, median", ({ previews }) => medianCpu(previews.small.slice(1))),
    figure("tenth preview CPU s", ({ previews }) => previews.tenth.cpu),
    figure("full-size frames CPU s, median", ({ large }) => medianCpu(large.times)),
    figure("CPU s from upload to tenth full-size frame", ({ large }) => large.sum, "", 1),
  ];
}
