import { existsSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import installer from "@ffmpeg-installer/ffmpeg";
import type { Command } from "../../../src/engine/compiler/command.ts";
import { type Ffmpeg, findFfmpeg, findGraphOption } from "../../../src/engine/ffmpeg/ffmpeg.ts";
import { FfmpegError, runFfmpeg as runBuild } from "../../../src/engine/ffmpeg/run.ts";
import { findLayers, sandboxOf } from "../../../src/engine/sandbox/sandbox.ts";

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

const { FFMPEG_PATH: chosen = "bundled" } = process.env;
const testedPath = chosen === "bundled" ? installer.path : chosen;

/** The ffmpeg that this run tests, for `describe.each`: one per run, because two would double the suite's time. */
export const testedFfmpegs: readonly TestFfmpeg[] = ffmpegs().filter(({ path }) => path === testedPath);

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

/** An ffmpeg in `folder` that does nothing while the file `flag` exists, and ends with `exitCode`. */
export async function breakableFfmpeg(folder: string, { path: original }: TestFfmpeg, exitCode = 1) {
  const path = `${folder}/breakable-ffmpeg-${exitCode}`;
  const flag = `${folder}/broken`;
  await writeFile(path, `#!/bin/sh\n[ -e "${flag}" ] && exit ${exitCode}\nexec "${original}" "$@"\n`, { mode: 0o755 });
  return { path, flag };
}

const everyFrameOptions = new Map<string, Promise<readonly string[]>>();

/** Options that output each decoded frame once. The bundled ffmpeg knows -vsync only, and ffmpeg 9 does not know it. */
export function everyFrame(ffmpeg: TestFfmpeg): Promise<readonly string[]> {
  const options = everyFrameOptions.get(ffmpeg.path) ?? findEveryFrame(ffmpeg);
  everyFrameOptions.set(ffmpeg.path, options);
  return options;
}

async function findEveryFrame(ffmpeg: TestFfmpeg): Promise<readonly string[]> {
  const help = new TextDecoder().decode(await runFfmpeg(ffmpeg, ["-h", "long"]));
  return help.includes("-fps_mode") ? ["-fps_mode", "passthrough"] : ["-vsync", "0"];
}

const found = new Map<string, Promise<Ffmpeg>>();

/** The ffmpeg of a path, by default the tested one. Found once by each process: to find one is to start it five times. */
export function foundFfmpeg(path = testedPath): Promise<Ffmpeg> {
  const ffmpeg = found.get(path) ?? findFfmpeg(path);
  found.set(path, ffmpeg);
  return ffmpeg;
}

const direct = new Map<string, Promise<Ffmpeg>>();

/**
 * The same without the sandbox, as on a machine that has none: to start in it takes longer than a few frames do. Every
 * room of `media` has tests with the sandbox.
 */
export function directFfmpeg(path = testedPath): Promise<Ffmpeg> {
  const ffmpeg = direct.get(path) ?? leaveSandbox(foundFfmpeg(path));
  direct.set(path, ffmpeg);
  return ffmpeg;
}

async function leaveSandbox(sandboxed: Promise<Ffmpeg>): Promise<Ffmpeg> {
  const ffmpeg = await sandboxed;
  const program = { path: ffmpeg.path, sandbox: sandboxOf({ ...(await findLayers()), canLaunch: false }) };
  const graphOption = await findGraphOption(program, "");
  return { ...ffmpeg, run: (command, options) => runBuild({ ...program, graphOption }, command, options) };
}

/** Runs a compiled command as the service does. */
export async function runCommand({ name, path }: TestFfmpeg, command: Command): Promise<void> {
  // bitmaps lie beside the output
  const folder = dirname(command.writes[0]!);
  try {
    await (await directFfmpeg(path)).run(command, { folder });
  } catch (cause) {
    throw new Error(`${name} ffmpeg failed: ${cause instanceof FfmpegError ? cause.stderrTail : cause}`, { cause });
  }
}
