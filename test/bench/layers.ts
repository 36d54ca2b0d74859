import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFfmpeg } from "../../src/engine/ffmpeg/ffmpeg.ts";
import { testService } from "../support/service.ts";
import { requireJson } from "../support/work-videos.ts";
import { type Figure, report } from "./figures.ts";
import { clipKinds, makeClip } from "./films/clips.ts";
import { footageFolder, mediaFolder } from "./films/settings.ts";
import { measureTime, medianOf } from "./measure.ts";

/** Measures what layers and speeds cost: the CPU time of a film relative to the same film without them. */
const seconds = Number(process.env.BENCH_SECONDS ?? 15);
const runs = Number(process.env.BENCH_RUNS ?? 3);
const chosen = process.env.BENCH_LAYERS?.split(";");
const folder = footageFolder ?? (await mkdtemp(join(tmpdir(), "reelwright-bench-")));
const { path: ffmpeg, version } = await findFfmpeg(process.env.FFMPEG_PATH);
const service = await testService({ FFMPEG_PATH: ffmpeg });

const phone = { ...clipKinds[0]!, seconds: 16, rate: "30" };
const kinds = [
  { ...phone, name: "layers-main" },
  { ...phone, name: "layers-other", footage: "bottle-detection.mp4", firstFrame: 100 },
];

const box = { width: 540, height: 960, centerX: 200, centerY: -300 };
const clip = { position: 0, end: seconds, fit: "cover", sceneIndex: 0 };

type Edit = Record<string, unknown>;

/** What is added, and the goal for its cost. */
const cases: Readonly<
  Record<string, { readonly edit: (ids: Ids) => Edit; readonly goal: number; readonly base?: Edit }>
> = {
  "video layer, a quarter": {
    edit: ({ video }) => ({ layers: [{ type: "video", assetId: video, ...box, fit: "cover" }] }),
    goal: 1.4,
  },
  "video layer, rounded": {
    edit: ({ video }) => ({ layers: [{ type: "video", assetId: video, ...box, radius: 60 }] }),
    goal: 1.4,
  },
  "video layer, moving": {
    edit: ({ video }) => ({
      layers: [
        {
          type: "video",
          assetId: video,
          ...box,
          keyframes: {
            centerX: [
              { at: 0, value: -200 },
              { at: seconds, value: 200 },
            ],
          },
        },
      ],
    }),
    goal: 1.6,
  },
  "speed 1.25": { edit: () => ({ clips: [{ ...clip, end: seconds, speed: 1.25 }] }), goal: 1.1, base: {} },
  "speed 2": {
    edit: () => ({ clips: [{ ...clip, speed: 2, end: 7.5 }] }),
    goal: 1.1,
    base: { clips: [{ ...clip, end: 7.5 }] },
  },
  "speed 0.5": { edit: () => ({ clips: [{ ...clip, speed: 0.5 }] }), goal: 1.1 },
  "speed ramp": {
    edit: () => ({
      clips: [
        {
          ...clip,
          end: 10,
          keyframes: {
            speed: [
              { at: 0, value: 1 },
              { at: 10, value: 2 },
            ],
          },
        },
      ],
    }),
    goal: 1.1,
    base: { clips: [{ ...clip, end: 10 }] },
  },
  reverse: { edit: () => ({ clips: [{ ...clip, reverse: true }] }), goal: 1.1 },
  gif: { edit: () => ({ options: { format: "gif" } }), goal: 1.5 },
  "gif, transparent": { edit: () => ({ options: { format: "gif", background: "transparent" } }), goal: 1.5 },
  webm: { edit: () => ({ options: { format: "webm" } }), goal: 4 },
  "webm, transparent": { edit: () => ({ options: { format: "webm", background: "transparent" } }), goal: 4 },
};

type Ids = { readonly video: string };

/** Cached parts are shared between the videos of one user, so each run has a new user. */
async function cpuOf(edit: (ids: Ids) => Edit, paths: readonly string[]): Promise<number> {
  const user = await service.register();
  const project = await requireJson(user.json("POST", "/api/projects", { name: "Bench" }));
  const work = await requireJson(user.json("POST", `/api/projects/${project.id}/works`, {}));
  const send = async (path: string, file: string) => {
    const body = new FormData();
    body.set("file", Bun.file(file), file.split("/").at(-1)!);
    return await requireJson(user.request(path, { method: "POST", body }));
  };
  await send(`/api/projects/${project.id}/works/${work.id}/media/scene/0/video`, paths[0]!);
  const { id: video } = await send(`/api/projects/${project.id}/assets`, paths[1]!);
  const request = { projectId: project.id, workId: work.id, clips: [clip], ...edit({ video }) };
  await Bun.sleep(1500);
  const { cpu } = await measureTime(async () => {
    const response = await user.json("POST", "/api/export", request);
    if (!response.ok) throw new Error(await response.text());
    await response.arrayBuffer();
  });
  return cpu;
}

try {
  const paths: string[] = [];
  for (const kind of kinds) paths.push(await makeClip(kind, folder, (await findFfmpeg()).path, mediaFolder));
  const figures: Figure[] = [];
  await cpuOf(() => ({}), paths);
  for (const [name, { edit, goal, base = {} }] of Object.entries(cases)) {
    if (chosen && !chosen.includes(name)) continue;
    const ratios: number[] = [];
    const sums: string[] = [];
    for (let run = 0; run < runs; run++) {
      const without = await cpuOf(() => base, paths);
      const withIt = await cpuOf(edit, paths);
      ratios.push(withIt / without);
      sums.push(`${without.toFixed(1)} s → ${withIt.toFixed(1)} s`);
    }
    console.log(name, sums.join(", "));
    const measured = `${medianOf(ratios).toFixed(2)} (worst ${Math.max(...ratios).toFixed(2)})`;
    figures.push({ figure: `${name}, ffmpeg ${version}, CPU / without`, measured, goal: `<= ${goal}` });
  }
  report(figures);
} finally {
  await service.close();
  if (!footageFolder) await rm(folder, { recursive: true, force: true });
}
// the database stays open for a next test, and would keep this process
process.exit();
