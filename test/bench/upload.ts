import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { register } from "../../scripts/demo/api.ts";
import { startServer, startService } from "../../scripts/demo/service.ts";
import { connect, unwrap } from "../../src/client.ts";
import { type Figure, report } from "./figures.ts";
import { copyToDisk, sendForm, writeLargeWav } from "./large-file.ts";
import { measurePeakMemory, measureTime, medianOf } from "./measure.ts";

/** Measures the server memory that a 1 GB upload needs, and its time relative to a raw copy of the file. */
const runs = 3;
const fileBytes = 1024 ** 3;
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const large = join(folder, "large.wav");
const copied = join(folder, "copied.wav");

await writeLargeWav(large, fileBytes);
const service = await startService(join(folder, "data"), { MAX_UPLOAD_BYTES: `${fileBytes}` });
const bare = await startServer([join(import.meta.dir, "bare-server.ts"), copied]);

try {
  const upload = await uploaderOf(service.url);
  const results: RunResult[] = [];
  for (let run = 0; run < runs; run++) results.push(await measureRun(upload));
  report(figuresOf(results));
} finally {
  await service.stop();
  await bare.stop();
  await rm(folder, { recursive: true, force: true });
}

type RunResult = {
  readonly copy: number;
  readonly bare: number;
  readonly ours: number;
  readonly extraMegabytes: number;
};

async function measureRun(upload: () => Promise<void>): Promise<RunResult> {
  const copy = await measureTime(() => copyToDisk(large, copied));
  const plain = await measureTime(() => sendForm(bare.url, large));
  const ours = await measureTime(() => measurePeakMemory(service.pid, upload));
  return { copy: copy.wall, bare: plain.wall, ours: ours.wall, extraMegabytes: ours.result };
}

/** A function that uploads the file as an asset. */
async function uploaderOf(url: string) {
  const token = await register(url);
  const api = connect(url, { token });
  const { id: projectId } = await unwrap(api.api.projects.$post({ json: { name: "Upload" } }));
  const headers = { authorization: `Bearer ${token}` };
  return async () => {
    const status = await sendForm(`${url}/api/projects/${projectId}/assets`, large, headers);
    if (status !== 201) throw new Error(`The upload failed with status ${status}.`);
  };
}

function figuresOf(results: readonly RunResult[]): Figure[] {
  const median = (of: (result: RunResult) => number) => medianOf(results.map(of)).toFixed(2);
  const extra = results.map((result) => result.extraMegabytes);
  return [
    { figure: "1 GB upload, extra memory", measured: `${medianOf(extra).toFixed(0)} MB`, goal: "<= 48 MB" },
    { figure: "1 GB upload, time / raw copy", measured: median((result) => result.ours / result.copy), goal: "<= 1.5" },
    {
      figure: "1 GB upload, time / bare HTTP to disk",
      measured: median((result) => result.ours / result.bare),
      goal: "",
    },
    { figure: "1 GB upload, seconds", measured: median((result) => result.ours), goal: "" },
    { figure: "1 GB raw copy, seconds", measured: median((result) => result.copy), goal: "" },
    { figure: "1 GB bare HTTP to disk, seconds", measured: median((result) => result.bare), goal: "" },
  ];
}
