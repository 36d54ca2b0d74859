import { join } from "node:path";
import { waitUntil } from "../faults/cluster/programs.ts";
import { registerOn } from "../support/service.ts";
import { requireJson } from "../support/work-videos.ts";
import { startCountedService } from "./counted-service.ts";
import { type Figure, report } from "./figures.ts";
import { medianOf } from "./measure.ts";

/**
 * Counts what a server and a bucket are asked: by an idle process, by a film of 6 seconds beyond the idle ones, and by a
 * cold film of 90 seconds.
 */
const idleSeconds = Number(process.env.BENCH_IDLE_SECONDS ?? 60);
const films = Number(process.env.BENCH_RUNS ?? 3);
const longSeconds = Number(process.env.BENCH_LONG_SECONDS ?? 90);
const shows = process.env.BENCH_SHOW === "1";
const service = await startCountedService(Number(process.env.FIRST_PORT ?? 4400));

try {
  const user = await registerOn((path, init) => fetch(service.url + path, init), "Ann");
  const film = await uploadClip();
  await renderFilm(6); // warm-up
  await Bun.sleep(5_000);

  const idle = await service.countDuring(() => Bun.sleep(idleSeconds * 1000));
  show("idle", idle.calls);
  const idleRate = idle.statements / idle.seconds;
  const [{ connections }] = await service.query(`select /* bench */ count(*)::int as connections
    from pg_stat_activity where application_name like 'reelwright%'`);

  const ofFilms: number[] = [];
  for (let count = 0; count < films; count++) {
    const { statements, seconds, calls } = await service.countDuring(() => renderFilm(6));
    show(`film, ${seconds.toFixed(1)} s`, calls);
    ofFilms.push(statements - idleRate * seconds);
  }

  service.storeRequests.length = 0;
  const long = await service.countDuring(() => renderFilm(longSeconds));
  show(`film, ${long.seconds.toFixed(1)} s`, long.calls);
  const requests = Map.groupBy(service.storeRequests, kindOf);
  const parts = requests.get("PUT parts")?.length ?? 0;
  show(
    "store",
    [...requests].map(([kind, all]) => [kind, all.length]),
  );
  const figures: readonly Figure[] = [
    { figure: "statements a minute of an idle process", measured: (idleRate * 30).toFixed(0), goal: "<= 120" },
    { figure: "connections of an idle process", measured: (connections / 2).toFixed(1), goal: "<= 4" },
    { figure: "statements of a film of 6 s", measured: medianOf(ofFilms).toFixed(0), goal: "<= 35" },
    {
      figure: `statements of a film of ${longSeconds} s`,
      measured: (long.statements - idleRate * long.seconds).toFixed(0),
      goal: "-",
    },
    {
      figure: `requests to the store for each of ${parts} parts`,
      measured: (service.storeRequests.length / parts).toFixed(2),
      goal: "<= 1.30",
    },
  ];
  report(figures);

  /** A scene of 6 seconds with moving pictures. */
  async function uploadClip() {
    const { id: projectId } = await requireJson(user.json("POST", "/api/projects", { name: "Bench" }));
    const { id: workId } = await requireJson(user.json("POST", `/api/projects/${projectId}/works`, {}));
    const path = join(service.folder, "clip.mp4");
    const encoding = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"];
    await Bun.$`ffmpeg -v error -y -f lavfi -i testsrc2=s=320x568:r=30:d=6 ${encoding} ${path}`;
    const body = new FormData();
    body.set("file", Bun.file(path), "clip.mp4");
    const scenes = `/api/projects/${projectId}/works/${workId}/media/scene`;
    await requireJson(user.request(`${scenes}/0/video`, { method: "POST", body }));
    return { projectId, workId };
  }

  /** Each scene of each film has another text, so that nothing of it is cached. */
  async function renderFilm(seconds: number): Promise<void> {
    const starts = Array.from({ length: seconds / 6 }, (_, index) => 6 * index);
    const clips = starts.map((position) => ({ sceneIndex: 0, position, end: position + 6 }));
    const texts = clips.map(({ position, end }) => ({
      text: crypto.randomUUID().slice(0, 8),
      position,
      end,
      fontSize: 24,
    }));
    const request = { ...film, clips, texts, options: { width: 320, height: 568 } };
    const { id } = await requireJson(user.json("POST", "/api/exports", request));
    const isDone = async () => {
      const [row] = await service.query(`select /* bench */ status from export_jobs where id = '${id}'`);
      if (row.status === "error") throw new Error("The film failed.");
      return row.status === "done";
    };
    if (!(await waitUntil(isDone, 600_000))) throw new Error("The film did not end.");
    // for what follows the end of an export
    await Bun.sleep(1_000);
  }
} finally {
  await service.end();
}

/** `BENCH_SHOW=1` lists all statements and requests. */
function show(title: string, counts: readonly (readonly [string, number])[]): void {
  if (!shows) return;
  console.log(`\n${title}`);
  for (const [text, count] of counts) console.log(`${count}\t${text.replace(/\s+/g, " ").slice(0, 160)}`);
}

/** `METHOD folder` of a request: `/bucket/parts/project/ab/key` is in `parts`. */
function kindOf(request: string): string {
  const [method, path = ""] = request.split(" ");
  return `${method} ${path.split("/")[2] || "(list or check)"}`;
}
