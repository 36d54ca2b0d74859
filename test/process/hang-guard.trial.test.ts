import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../support/media/ffmpeg.ts";

const guard = join(import.meta.dir, "../../src/process/hang-guard.ts");

/** Runs a program with a guard that ends it after 0.5 s of computing; `body` runs with `guard`. */
async function runGuarded(body: string) {
  const folder = await temporaryFolder();
  const program = join(folder, "program.ts");
  await Bun.write(
    program,
    `import { guardAgainstHangs } from ${JSON.stringify(guard)};
    const guard = guardAgainstHangs(${JSON.stringify(folder)}, { tickMs: 50, maxTicks: 10 });
    const compute = (ms: number) => { for (const end = performance.now() + ms; performance.now() < end; ); };
    ${body}`,
  );
  const { exitCode, signalCode, stderr } = Bun.spawnSync([process.execPath, program], { stderr: "pipe" });
  const notes = [...new Bun.Glob("hangs/*.txt").scanSync({ cwd: folder, absolute: true })];
  return {
    exitCode,
    signalCode,
    stderr: stderr.toString(),
    notes: await Promise.all(notes.map((note) => Bun.file(note).text())),
  };
}

test("a process whose thread does not turn is ended, and the exports that ran are noted", async () => {
  const { signalCode, notes, stderr } = await runGuarded(`
    await guard.during("exp_ended", async () => {});
    void guard.during("exp_one", () => new Promise(() => {}));
    await guard.during("exp_two", async () => compute(600_000));`);
  expect(signalCode).toBe("SIGKILL");
  expect(notes).toEqual(["exp_one exp_two"]);
  expect(stderr).toContain("has not turned for 0.5 s");
});

test("a thread that waits without computing goes on", async () => {
  expect(await runGuarded("Bun.sleepSync(1_500);")).toMatchObject({ exitCode: 0, notes: [] });
});

test("a thread that turns between pieces of work goes on", async () => {
  const body = "for (let piece = 0; piece < 20; piece++) { compute(100); await Bun.sleep(1); }";
  expect(await runGuarded(body)).toMatchObject({ exitCode: 0, notes: [] });
});
