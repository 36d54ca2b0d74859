import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFfmpeg } from "../../src/engine/ffmpeg/ffmpeg.ts";
import { parseMetrics } from "../support/metrics-text.ts";
import { requireJson } from "../support/work-videos.ts";
import { clearRenderCache, exportVideo } from "./export-request.ts";
import { type Figure, report } from "./figures.ts";
import { clipKinds } from "./films/clips.ts";
import { filmRequest } from "./films/requests.ts";
import { makeFootage, registerAt, startFilmService, uploadFootage } from "./films/service.ts";
import { measureTime, untilIdle, untilProxies } from "./measure.ts";

/**
 * A table of films of 15 seconds with a name that is seen for two seconds and a price for three: its first batch against
 * as many single films, the same table with other prices, and the same again. CPU seconds of the service and its
 * processes. `BENCH_TABLE_FILMS` and `BENCH_TABLE_WIDTH` make it smaller.
 */
const count = Number(process.env.BENCH_TABLE_FILMS || 200);
const width = Number(process.env.BENCH_TABLE_WIDTH || 1080);
const options = { width, height: 2 * Math.round((width * 16) / 18), fps: 30 };

const kinds = clipKinds.slice(0, 3);
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const { path: ffmpeg, version } = await findFfmpeg(process.env.FFMPEG_PATH);
const dataDir = join(folder, "data");
const service = await startFilmService(dataDir, ffmpeg, { METRICS_TOKEN: "token-of-the-bench" });

try {
  const user = await registerAt(service);
  const uploads = await uploadFootage(user, await makeFootage(folder, kinds));
  await untilProxies(service.pid);

  const { projectId, workId, ...film } = filmRequest(15, uploads);
  const clips = film.clips.map((clip) => ({ ...clip, sceneIndex: clip.sceneIndex % kinds.length }));
  const [look] = film.texts;
  const shown = (text: string, position: number, end: number) => ({ ...look!, text, position, end });
  const showing = (name: string, price: string) => ({
    ...film,
    clips,
    texts: [shown(name, 1, 3), shown(price, 11, 14)],
    options,
  });

  const path = `/api/projects/${projectId}/batches`;
  const batch = async (prices: number) => {
    const rows = Array.from({ length: count }, (_, at) => ({ name: `Product ${at}`, price: `${prices + at}.90 €` }));
    const base = { workId, export: showing("{{name}}", "{{price}}") };
    const { id } = await requireJson(user.json("POST", path, { base, rows, concurrency: 8 }));
    // until the stream ends with the batch
    await (await user.request(`${path}/${id}/events`)).text();
    return (await requireJson(user.request(`${path}/${id}`))).counts;
  };
  const measured = async <Result>(work: () => Promise<Result>) => {
    const before = await metrics();
    const time = await measureTime(work, service.pid);
    const after = await metrics();
    await untilIdle(service.pid);
    const between = (name: string, wanted?: string) => sum(after, name, wanted) - sum(before, name, wanted);
    const encoding = between("ffmpeg_cpu_seconds_total");
    const segments = between("segments_total", "rendered");
    return { ...time, encoding, segments, others: time.cpu - encoding };
  };
  const metrics = async () => {
    const headers = { authorization: "Bearer token-of-the-bench" };
    return parseMetrics(await (await fetch(`${service.url}/metrics`, { headers })).text());
  };

  // the first export of all loads fonts and programs
  await exportVideo(user, { projectId, workId, ...showing("First", "1 €") });
  await clearRenderCache({ dataDir });
  const single = await measured(() => exportVideo(user, { projectId, workId, ...showing("Single", "2 €") }));
  await clearRenderCache({ dataDir });
  const first = await measured(() => batch(10));
  const changed = await measured(() => batch(10_000));
  const unchanged = await measured(() => batch(10_000));

  const share = ({ cpu }: { readonly cpu: number }) => (cpu / count / single.cpu).toFixed(4);
  const figure = (name: string, text: string, goal = ""): Figure => ({
    figure: `${count} films of 15 s, ${width} wide, ffmpeg ${version}: ${name}`,
    measured: text,
    goal,
  });
  const parts = ({ cpu, encoding, others, segments }: typeof first | typeof single) =>
    `${cpu.toFixed(1)} CPU s (ffmpeg ${encoding.toFixed(1)}, service and sandbox ${others.toFixed(1)}), ${segments} segments`;
  report([
    figure("a single film", parts(single)),
    figure("first batch", parts(first)),
    figure("first batch / films × single", share(first), "≤ 0.5"),
    figure("changed prices", parts(changed)),
    figure("changed prices / films × single", share(changed), "≤ 0.3"),
    figure("unchanged", `${unchanged.cpu.toFixed(2)} CPU s, ${unchanged.wall.toFixed(1)} s`, "≤ 2 s"),
    figure("unchanged / films × single", share(unchanged), "≤ 0.005"),
    figure("made", JSON.stringify([first, changed, unchanged].map(({ result }) => [result.done, result.unchanged]))),
  ]);
} finally {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}

type Samples = ReturnType<typeof parseMetrics>;

function sum(samples: Samples, name: string, wanted?: string): number {
  return samples
    .filter((sample) => sample.name === `reelwright_${name}`)
    .filter(({ labels }) => wanted === undefined || Object.values(labels).includes(wanted))
    .reduce((total, { value }) => total + value, 0);
}
