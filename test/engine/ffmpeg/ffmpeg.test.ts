import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createReadStream } from "node:fs";
import { chmod, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { Glob } from "bun";
import { execa } from "execa";
import { requiredComponents } from "../../../src/engine/ffmpeg/components.ts";
import { type Ffmpeg, findFfmpeg } from "../../../src/engine/ffmpeg/ffmpeg.ts";
import { FfmpegError, runFfmpeg } from "../../../src/engine/ffmpeg/run.ts";
import type { EndedProcess } from "../../../src/engine/ports.ts";
import { findSandbox } from "../../../src/engine/sandbox/sandbox.ts";
import { ffmpegs, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";

const compiler = `${import.meta.dir}/../../../src/engine/compiler`;

let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The sandbox layers that this machine lacks. */
const { missing } = await findSandbox();
const lacks = (layer: string) => missing.includes(layer);

const bars = (frames: number) => ["-f", "lavfi", "-i", `testsrc=size=64x36:rate=25:duration=${frames / 25}`];
/** As slow as it would be shown. */
const endless = ["-re", "-f", "lavfi", "-i", "testsrc=size=64x36:rate=25"];

/** The error of an ffmpeg that ends as this shell command does. */
async function errorOfEnding(command: string): Promise<unknown> {
  const nothing = { inputArgs: [], graph: "", outputArgs: [], writes: [] };
  const build = {
    path: await writeScript(command),
    sandbox: await findSandbox(),
    graphOption: "-/filter_complex",
  } as const;
  return await runFfmpeg(build, nothing, { folder }).catch((error) => error);
}

test.each(["kill -TERM $$", "kill -INT $$", "exit 255"])(
  "an ffmpeg that someone else stops (%s) is busy, whatever its input",
  async (command) => {
    expect(await errorOfEnding(command)).toMatchObject({ code: "busy", facts: { retryAfterSeconds: 1 } });
  },
);

test.each(["kill -KILL $$", "exit 1"])("an ffmpeg that ends otherwise (%s) has failed", async (command) => {
  expect(await errorOfEnding(command)).toBeInstanceOf(FfmpegError);
});

describe.each(testedFfmpegs)("the $name ffmpeg", ({ path }) => {
  let ffmpeg: Ffmpeg;

  beforeAll(async () => {
    ffmpeg = await findFfmpeg(path);
  });

  test("has a version, and a description with its path", () => {
    expect(ffmpeg.version).not.toBe("");
    expect(ffmpeg.description).toContain(path);
  });

  test("passes the filtergraph as a file and counts the frames written", async () => {
    const seen: number[] = [];
    const command = {
      inputArgs: bars(25),
      graph: "[0:v]negate[out]",
      outputArgs: ["-map", "[out]", "film.mp4"],
      writes: ["film.mp4"],
    };

    const times: number[] = [];
    const options = { folder, onFrame: (count: number) => seen.push(count), onTime: (at: number) => times.push(at) };
    const { frames } = await ffmpeg.run(command, options);

    expect(frames).toBe(25);
    expect(times.at(-1)).toBeGreaterThan(0.5);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toBe(25);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(Bun.file(`${folder}/film.mp4`).size).toBeGreaterThan(0);
  });

  test("keeps its stderr for the log, out of the error message", async () => {
    const command = {
      inputArgs: ["-i", "file:nowhere.mp4"],
      graph: "",
      outputArgs: ["film.mp4"],
      writes: ["film.mp4"],
    };
    const error = await ffmpeg.run(command, { folder }).catch((caught) => caught);
    expect(error).toBeInstanceOf(FfmpegError);
    expect(error.stderrTail).toContain("nowhere.mp4");
    expect(error.message).not.toContain("nowhere.mp4");
  });

  test("stops when the signal aborts", async () => {
    const controller = new AbortController();
    const command = { inputArgs: endless, graph: "", outputArgs: ["-f", "null", "-"], writes: [] };
    const run = ffmpeg.run(command, {
      folder,
      signal: controller.signal,
      onFrame: () => controller.abort(new Error("gone")),
    });
    await expect(run).rejects.toThrow("gone");
  });

  test("tells the CPU time of each process and how it ended", async () => {
    const ended: EndedProcess[] = [];
    const observed = await findFfmpeg(path, (process) => ended.push(process));
    ended.length = 0;
    const controller = new AbortController();
    const encode = { inputArgs: bars(25), graph: "", outputArgs: ["measured.mp4"], writes: ["measured.mp4"] };
    await observed.run(encode, { folder });
    await observed.run({ ...encode, inputArgs: ["-i", "file:nowhere.mp4"] }, { folder }).catch(() => {});
    const stopped = { inputArgs: endless, graph: "", outputArgs: ["-f", "null", "-"], writes: [] };
    const options = { folder, signal: controller.signal, onFrame: () => controller.abort() };
    await observed.run(stopped, options).catch(() => {});

    expect(ended.map(({ outcome }) => outcome)).toEqual(["ok", "failed", "stopped"]);
    for (const { userSeconds, systemSeconds } of ended) {
      expect(userSeconds + systemSeconds).toBeGreaterThan(0);
      expect(userSeconds + systemSeconds).toBeLessThan(10);
    }
  });

  test("does not start if the signal is already aborted", async () => {
    const command = { inputArgs: bars(1), graph: "", outputArgs: ["never.mp4"], writes: ["never.mp4"] };
    const run = ffmpeg.run(command, { folder, signal: AbortSignal.abort(new Error("gone")) });
    await expect(run).rejects.toThrow("gone");
    expect(await Bun.file(`${folder}/never.mp4`).exists()).toBe(false);
  });

  test.skipIf(lacks("resource limits"))("fails at its file size limit instead of filling the disk", async () => {
    const command = {
      inputArgs: bars(25),
      graph: "",
      outputArgs: ["-f", "rawvideo", "large.raw"],
      writes: ["large.raw"],
    };
    const run = ffmpeg.run(command, { folder, limits: { fileBytes: 10_000 } });
    await expect(run).rejects.toThrow(FfmpegError);
  });

  test.skipIf(lacks("system calls"))("has no access to the network", async () => {
    let requests = 0;
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(`${requests++}`) });
    const inputArgs = ["-i", `http://127.0.0.1:${server.port}/film.mp4`];
    const run = ffmpeg.run({ inputArgs, graph: "", outputArgs: ["film.mp4"], writes: ["film.mp4"] }, { folder });
    await expect(run).rejects.toThrow(FfmpegError);
    expect(requests).toBe(0);
    await server.stop(true);
  });

  test.skipIf(lacks("killed with the server"))("dies with a server that is killed", async () => {
    const pipe = `${folder}/${crypto.randomUUID()}`;
    await execa("mkfifo", [pipe]);
    const code = `
      const { findFfmpeg } = await import(${JSON.stringify(`${import.meta.dir}/../../../src/engine/ffmpeg/ffmpeg.ts`)});
      const ffmpeg = await findFfmpeg(${JSON.stringify(path)});
      const outputArgs = ["-f", "rawvideo", ${JSON.stringify(pipe)}];
      await ffmpeg.run({ inputArgs: ${JSON.stringify(endless)}, graph: "", outputArgs, writes: [${JSON.stringify(pipe)}] }, { folder: ${JSON.stringify(folder)} });
    `;
    const server = execa(process.execPath, ["-e", code], { reject: false });

    // the pipe ends when the last process that writes to it has ended
    let killed = false;
    for await (const _ of createReadStream(pipe)) killed ||= server.kill("SIGKILL");

    expect(killed).toBe(true);
    expect((await server).signal).toBe("SIGKILL");
  });
});

test("every filter that the compiler uses is a required component", async () => {
  const code = await Promise.all(
    [...new Glob("**/*.ts").scanSync({ cwd: compiler, absolute: true })].map((path) => Bun.file(path).text()),
  );
  const used = code.join("").matchAll(/filter\(\s*"(?:video|audio)",\s*"(\w+)"/g);
  // the printer of graphs adds these
  const names = [...used].map(([, name]) => name!).concat("asplit", "nullsink", "split");
  const required: ReadonlySet<string> = new Set(requiredComponents.filters);
  expect(names).toContain("overlay");
  expect(names.filter((name) => !required.has(name))).toEqual([]);
});

/** An executable with this shell code. */
async function writeScript(script: string): Promise<string> {
  const path = `${folder}/${crypto.randomUUID()}`;
  await Bun.write(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

/** The bundled ffmpeg behind a command line that knows one of the options that read a graph, as other versions do. */
const knowing = (known: string) =>
  writeScript(`for argument do
  shift
  case "$argument" in
    ${known}) argument=-filter_complex_script;;
    -/filter_complex|-filter_complex_script) echo "Unrecognized option '$argument'." >&2; exit 1;;
  esac
  set -- "$@" "$argument"
done
exec ${ffmpegs()[0]!.path} "$@"`);

test.each(["-/filter_complex", "-filter_complex_script"])(
  "an ffmpeg that knows only %s renders graphs",
  async (known) => {
    const ffmpeg = await findFfmpeg(await knowing(known));
    const command = {
      inputArgs: bars(5),
      graph: "[0:v]negate[out]",
      outputArgs: ["-map", "[out]", `${known.length}.mp4`],
      writes: [`${known.length}.mp4`],
    };
    expect(await ffmpeg.run(command, { folder })).toEqual({ frames: 5 });
  },
);

describe("without a setting the ffmpeg of the PATH is taken", () => {
  /** A folder whose ffmpeg answers as the tested one, but for what `script` does before. */
  async function withFfmpeg(script: string): Promise<string> {
    const path = await writeScript(`${script}\nexec ${testedFfmpegs[0]!.path} "$@"`);
    const searched = await temporaryFolder();
    await symlink(path, join(searched, "ffmpeg"));
    return searched;
  }
  const isVersion = (libavutil: string) =>
    `case "$*" in *-version*) echo "ffmpeg version N-1"; echo "libavutil      ${libavutil}.100 / ${libavutil}.100"; exit;; esac`;

  test("if it is of 5.1 or later, also of a build without a number", async () => {
    for (const libavutil of ["57. 28", "58.  2"]) {
      const searched = await withFfmpeg(isVersion(libavutil));
      expect((await findFfmpeg(undefined, undefined, searched)).path).toBe(join(searched, "ffmpeg"));
    }
  });

  test.each([
    ["is older than 5.1", isVersion("57. 17")],
    ["lacks filter", `${isVersion("57. 28")}\ncase "$*" in *-filters*) exit;; esac`],
    ["cannot render a video", `${isVersion("57. 28")}\ncase "$*" in *filter_complex*) exit 1;; esac`],
  ])("but one that %s is left for the bundled one, which says so", async (reason, script) => {
    const found = await findFfmpeg(undefined, undefined, await withFfmpeg(script));
    expect(found.path).toBe(ffmpegs()[0]!.path);
    expect([found.whyBundled, found.description]).toEqual([
      expect.stringContaining(reason),
      expect.stringContaining(reason),
    ]);
  });

  test("and the bundled one where there is none, or where it is asked for", async () => {
    expect((await findFfmpeg(undefined, undefined, "")).path).toBe(ffmpegs()[0]!.path);
    const searched = await withFfmpeg(isVersion("57. 28"));
    expect((await findFfmpeg("bundled", undefined, searched)).path).toBe(ffmpegs()[0]!.path);
  });
});

describe("an unusable ffmpeg is rejected with an instruction", () => {
  test("a missing program", async () => {
    await expect(findFfmpeg(`${folder}/nowhere`)).rejects.toThrow(/cannot be run: set FFMPEG_PATH/);
  });

  test("a program that is not ffmpeg", async () => {
    await expect(findFfmpeg(await writeScript("echo hello"))).rejects.toThrow(/does not answer as ffmpeg/);
  });

  test("an ffmpeg without required components, with their names", async () => {
    const incomplete = await writeScript(
      'case "$*" in *version*) echo "ffmpeg version 9";; *encoders*) echo " V..... libx264";; esac',
    );
    await expect(findFfmpeg(incomplete)).rejects.toThrow(/lacks .*filter overlay.*encoder aac.*decoder h264/);
  });

  test("an ffmpeg that lists all components but fails every graph, with one line", async () => {
    const broken = await writeScript(
      `case "$*" in *filter_complex*) echo "no codec
today" >&2; exit 1;; *) exec ${testedFfmpegs[0]!.path} "$@";; esac`,
    );
    await expect(findFfmpeg(broken)).rejects.toThrow(
      `${broken} cannot render a video (today): set FFMPEG_PATH to a working ffmpeg.`,
    );
  });
});
