import { afterAll, beforeAll, expect, test } from "bun:test";
import { createSocket } from "node:dgram";
import { chmod, copyFile, link, mkdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { runFfmpeg } from "../../../src/engine/ffmpeg/run.ts";
import { findLayers, findSandbox, type Job, type Layers, sandboxOf } from "../../../src/engine/sandbox/sandbox.ts";
import type { Attacked } from "../../support/media/attack.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";

const attack = join(import.meta.dir, "../../support/media/attack.ts");

/** What each attempt needs to be open: see `openRights`. */
const attempts: Readonly<Record<string, string>> = {
  "read a file": "other files",
  "read a file on another thread": "other files",
  "read a file with Bun": "other files",
  "list a folder": "other files",
  "write a file": "other files",
  "plant a file": "other files",
  "remove a file": "other files",
  "read the server's environment": "the server's environment and memory",
  "open the server's memory": "the server's environment and memory",
  "signal the server": "signals",
  "write through a source's link": "other files",
  "link a source where it can write": "other files",
  "truncate a file": "truncate",
  "truncate a source by reading it": "truncate",
  "change a mode": "chmod",
  "change the mode of a source": "chmod",
  "change a time": "chmod",
  "connect by TCP": "TCP",
  "send by UDP": "UDP",
  "connect to a Unix socket": "Unix sockets",
  "connect to an abstract socket": "abstract sockets",
  "ask for a size": "stat",
};

const layers = await findLayers();
const sandbox = await findSandbox();

let folder: string;
let target: Attacked;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  folder = await temporaryFolder();
  const stored = join(folder, "stored");
  for (const name of ["stored", "in", "out"]) await mkdir(join(folder, name));
  await Bun.write(join(stored, "secret"), "a secret");
  await Bun.write(join(stored, "source"), "a source");
  await link(join(stored, "source"), join(folder, "in/source"));
  await copyFile(attack, join(folder, "in/attack.ts"));
  const unixSocket = join(stored, "socket");
  const abstractSocket = `\0${crypto.randomUUID()}`;
  const [tcp, unix, abstract] = [createServer(), createServer(), createServer()];
  const udp = createSocket("udp4");
  closing.push(...[tcp, unix, abstract, udp].map((socket) => () => socket.close()));
  await Promise.all([
    new Promise<void>((done) => tcp.listen(0, "127.0.0.1", done)),
    new Promise<void>((done) => unix.listen(unixSocket, done)),
    new Promise<void>((done) => abstract.listen(abstractSocket, done)),
    new Promise<void>((done) => udp.bind(0, "127.0.0.1", done)),
  ]);
  target = {
    serverId: process.pid,
    secret: join(stored, "secret"),
    folder: stored,
    source: join(folder, "in/source"),
    // safe because it listens
    tcpPort: (tcp.address() as { port: number }).port,
    udpPort: udp.address().port,
    unixSocket,
    abstractSocket,
  };
});

afterAll(async () => {
  for (const close of closing) close();
  await rm(folder, { recursive: true, force: true });
});

const limits = { fileBytes: 2 ** 20, memoryBytes: 8 * 2 ** 30 };

/** Makes what attempts change. */
async function restore(): Promise<void> {
  for (const name of ["removed", "truncated"]) await Bun.write(join(target.folder, name), "some text");
  for (const path of [join(target.folder, "linked"), join(folder, "out/linked")]) await rm(path, { force: true });
}

/** The attempts that succeed in a sandbox. */
async function succeededIn(some: Layers, job: Omit<Job, "limits" | "folder">): Promise<readonly string[]> {
  await restore();
  const { command, cwd } = sandboxOf(some).start(process.execPath, { limits, folder, ...job });
  const child = Bun.spawn([...command, join(folder, "in/attack.ts"), JSON.stringify(target)], { cwd, env: {} });
  return JSON.parse(await new Response(child.stdout).text());
}

const expectedIn = (open: readonly string[]) =>
  Object.entries(attempts).flatMap(([attempt, right]) => (open.includes(right) ? [attempt] : []));

const versions = [0, 1, 2, 3, 4, 5, 6, 7].filter((landlock) => landlock <= layers.landlock);
const combinations = versions.flatMap((landlock) => [
  { landlock, hasFilter: false },
  ...(layers.hasFilter ? [{ landlock, hasFilter: true }] : []),
]);

test.if(layers.canLaunch).each(combinations)(
  "with Landlock $landlock and a filter of system calls $hasFilter, exactly what is said to be open is open",
  async (combination) => {
    const some = { ...layers, ...combination };
    const reads = [join(folder, "in")];
    expect(await succeededIn(some, { reads, writes: [] })).toEqual(expectedIn(sandboxOf(some).open));
  },
);

test("a program that has a folder to write can write nothing else", async () => {
  target = { ...target, writable: join(folder, "out") };
  const job = { reads: [join(folder, "in")], writes: [join(folder, "out")] };
  expect(await succeededIn(layers, job)).toEqual(expectedIn(sandbox.open));
});

test("an ffmpeg that was taken over can write its output alone, and only what is said to be open is open", async () => {
  await restore();
  const path = join(folder, "in/ffmpeg");
  await Bun.write(
    path,
    `#!/bin/sh\necho progress=end\nexec ${process.execPath} attack.ts '${JSON.stringify(target)}' >output\n`,
  );
  await chmod(path, 0o755);
  const build = { path, sandbox, graphOption: "-/filter_complex" } as const;
  const command = { inputArgs: [], graph: "", outputArgs: [], writes: ["output"] };
  await runFfmpeg(build, command, { folder: join(folder, "in"), limits });
  expect(await Bun.file(join(folder, "in/output")).json()).toEqual(expectedIn(sandbox.open));
});

test("a lower limit of open files than wanted takes no layer away", async () => {
  const module = join(import.meta.dir, "../../../src/engine/sandbox/sandbox.ts");
  const code = `console.log(JSON.stringify((await (await import("${module}")).findSandbox()).missing))`;
  const child = Bun.spawn(["sh", "-c", `ulimit -n 256 && exec "$0" -e '${code}'`, process.execPath]);
  expect(await new Response(child.stdout).json()).toEqual(sandbox.missing);
});

test("on a machine without Landlock the description says what is open", async () => {
  const without = sandboxOf({ ...layers, landlock: 0 });
  expect(without.description).toContain("unavailable: files");
  expect(without.description).toContain("open: other files, the server's environment and memory");
});
