import { afterAll, expect, test } from "bun:test";
import { openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { linesOf } from "../../src/engine/sandbox/lines.ts";
import { lineOutput } from "../../src/process/log-output.ts";

const folder = await mkdtemp(join(tmpdir(), "reelwright-test-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Enough to fill the buffer several times. */
const lines = Array.from({ length: 5_000 }, (_, index) => `{"line":${index},"text":"${"é".repeat(40)}"}\n`);

/** An output to a new file. The file stays open, because a thread may still write to it. */
function newOutput() {
  const path = join(folder, crypto.randomUUID());
  return { path, ...lineOutput(openSync(path, "w")) };
}

test("each line is written once and in order, however many there are at once", async () => {
  const { path, write, flush } = newOutput();
  for (const line of lines) write(line);
  flush();
  while (Bun.file(path).size < Buffer.byteLength(lines.join(""))) await nextTurn();

  expect(await Bun.file(path).text()).toBe(lines.join(""));
});

test("what is left at the end of the process is written before it ends", async () => {
  const { path, write, flushSync } = newOutput();
  for (const line of lines.slice(0, 3)) write(line);
  flushSync();
  flushSync();

  expect(await Bun.file(path).text()).toBe(lines.slice(0, 3).join(""));
});

test("lines beyond a few MB are lost while nobody reads", async () => {
  const { path, write, flushSync } = newOutput();
  // no write ends before the thread is free
  for (let count = 0; count < 50; count++) for (const line of lines) write(line);
  flushSync();

  expect(Bun.file(path).size).toBeWithin(1024 * 1024, 10 * 1024 * 1024);
});

/** Logs each line of its input, and ends only when the input ends. */
const program = `
  import { openLog } from ${JSON.stringify(join(import.meta.dir, "../../src/process/log-output.ts"))};
  const log = openLog("info");
  for await (const line of console) log.info(line);
`;

test("each line reaches stdout while the process goes on, also after a pause without lines", async () => {
  const child = Bun.spawn([process.execPath, "-e", program], { stdin: "pipe", stdout: "pipe" });
  const printed = linesOf(child.stdout);
  for (const msg of ["first", "second"]) {
    child.stdin.write(`${msg}\n`);
    await child.stdin.flush();
    const { value } = await printed.next();
    expect(JSON.parse(String(value))).toMatchObject({ level: 30, msg });
  }
  child.stdin.end();
  expect(await child.exited).toBe(0);
});

test("a process whose output nobody reads any more ends", async () => {
  const ended = `
    import { openLog } from ${JSON.stringify(join(import.meta.dir, "../../src/process/log-output.ts"))};
    const log = openLog("info");
    for await (const line of console) log.info(line);
    log.info("the last line");
    process.exit(0);
  `;
  const child = Bun.spawn([process.execPath, "-e", ended], { stdin: "pipe", stdout: "pipe" });
  await child.stdout.cancel();
  child.stdin.end();
  expect(await child.exited).toBe(0);
});
