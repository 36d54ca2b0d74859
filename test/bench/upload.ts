import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProject, register } from "../../scripts/demo-film.ts";
import { startServer, startService } from "../../scripts/demo-service.ts";
import { connect } from "../../src/client.ts";
import { type Figure, report } from "./figures.ts";
import { copyToDisk, sendForm, writeLargeWav } from "./large-file.ts";
import { medianOf, peakOver, timed } from "./measure.ts";

/** An upload of 1 GB: what it adds to the server's memory, and its time against a raw copy of the same file. */
const runs = 3;
const fileBytes = 1024 ** 3;
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const [large, copied] = [join(folder, "large.wav"), join(folder, "copied.wav")];

await writeLargeWav(large, fileBytes);
const service = await startService(join(folder, "data"), { MAX_UPLOAD_BYTES: `${fileBytes}` });
const bare = await startServer([join(import.meta.dir, "bare-server.ts"), copied]);

try {
  const upload = await uploaderOf(service.url);
  const rows: Row[] = [];
  for (let run = 0; run < runs; run++) rows.push(await oneRun(upload));
  report(figuresOf(rows));
} finally {
  await service.stop();
  await bare.stop();
  await rm(folder, { recursive: true, force: true });
}

type Row = { readonly copy: number; readonly bare: number; readonly ours: number; readonly extraMegabytes: number };

async function oneRun(upload: () => Promise<void>): Promise<Row> {
  const copy = await timed(() => copyToDisk(large, copied));
  const plain = await timed(() => sendForm(bare.url, large));
  const ours = await timed(() => peakOver(service.pid, upload));
  return { copy: copy.wall, bare: plain.wall, ours: ours.wall, extraMegabytes: ours.result };
}

/** Uploads the file as an asset, and deletes it again. */
async function uploaderOf(url: string) {
  const token = await register(url);
  const api = connect(url, { token });
  const projectId = await createProject(api);
  const headers = { authorization: `Bearer ${token}` };
  return async () => {
    const status = await sendForm(`${url}/api/projects/${projectId}/assets`, large, headers);
    if (status !== 201) throw new Error(`The upload was answered with ${status}.`);
  };
}

function figuresOf(rows: readonly Row[]): Figure[] {
  const median = (of: (row: Row) => number) => medianOf(rows.map(of)).toFixed(2);
  const extra = rows.map((row) => row.extraMegabytes);
  return [
    { figure: "1 GB upload, extra memory", measured: `${medianOf(extra).toFixed(0)} MB`, goal: "<= 48 MB" },
    { figure: "1 GB upload, time / raw copy", measured: median((row) => row.ours / row.copy), goal: "<= 1.5" },
    { figure: "1 GB upload, time / bare HTTP to disk", measured: median((row) => row.ours / row.bare), goal: "" },
    { figure: "1 GB upload, seconds", measured: median((row) => row.ours), goal: "" },
    { figure: "1 GB raw copy, seconds", measured: median((row) => row.copy), goal: "" },
    { figure: "1 GB bare HTTP to disk, seconds", measured: median((row) => row.bare), goal: "" },
  ];
}
