import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import installer from "@ffmpeg-installer/ffmpeg";
import type { Command } from "../../../src/compiler/command.ts";

export type TestFfmpeg = { readonly name: string; readonly path: string };

/** The supported ffmpeg builds on this machine. The first one, which is bundled, draws the test media. */
export function ffmpegs(): readonly TestFfmpeg[] {
  const candidates = [
    { name: "bundled", path: installer.path },
    { name: "chosen", path: process.env.FFMPEG_PATH ?? "" },
    { name: "system", path: "/usr/bin/ffmpeg" },
  ];
  const present = candidates.filter(({ path }) => path !== "" && existsSync(path));
  return present.filter(({ path }, index) => present.findIndex((other) => other.path === path) === index);
}

/** The ffmpeg that this run tests, for `describe.each`: one per run, because two would double the suite's time. */
export const testedFfmpegs: readonly TestFfmpeg[] = ffmpegs().filter(
  ({ path }) => path === (process.env.FFMPEG_PATH || installer.path),
);

export const temporaryFolder = (): Promise<string> => mkdtemp(join(tmpdir(), "reelwright-test-"));

/** Runs ffmpeg and returns its standard output. */
export async function runFfmpeg(ffmpeg: TestFfmpeg, args: readonly string[]): Promise<Uint8Array> {
  const child = Bun.spawn([ffmpeg.path, "-nostdin", "-hide_banner", "-v", "error", ...args], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).bytes(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${ffmpeg.name} ffmpeg ended with ${code}: ${errors}`);
  return output;
}

/** Runs a compiled command as the service does. */
export async function runCommand(ffmpeg: TestFfmpeg, { inputArgs, graph, outputArgs }: Command): Promise<void> {
  if (graph === "") return void (await runFfmpeg(ffmpeg, [...inputArgs, ...outputArgs]));
  const folder = await temporaryFolder();
  const script = join(folder, "graph.txt");
  try {
    await Bun.write(script, graph);
    await runFfmpeg(ffmpeg, [...inputArgs, "-filter_complex_script", script, ...outputArgs]);
  } finally {
    await rm(folder, { recursive: true });
  }
}
