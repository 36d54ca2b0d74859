import { resolve } from "node:path";
import { ExecaError, execa } from "execa";
import type { Container } from "../timeline/source.ts";
import type { TrackFacts } from "./inspect-tracks.ts";
import { refuse } from "./inspect-types.ts";
import { findSandbox } from "./sandbox.ts";
import type { ParserAnswer } from "./track-parser.ts";

const program = resolve(import.meta.dir, "track-parser.ts");

// an hour of MP3, which has no index, takes two seconds and 300 MB; address space counts, of which Bun alone takes 400 MB
const limits = { cpuSeconds: 20, fileBytes: 0, memoryBytes: 2 ** 31 };
const timeoutMilliseconds = 40_000;

/** Reads a file's tracks in a process of its own, whose end by a hostile file is nobody else's. */
export async function readTracksApart(path: string, container: Container): Promise<TrackFacts> {
  const answer = await parse(resolve(path), container);
  if ("refusal" in answer) throw refuse(answer.refusal);
  return answer.facts;
}

async function parse(path: string, container: Container): Promise<ParserAnswer> {
  const { wrap } = await findSandbox();
  const [file, ...args] = wrap(process.execPath, limits);
  try {
    const { stdout } = await execa(file!, [...args, program, path, container], {
      // a folder without settings that Bun would read
      cwd: import.meta.dir,
      env: {},
      extendEnv: false,
      stdin: "ignore",
      timeout: timeoutMilliseconds,
      killSignal: "SIGKILL",
    });
    return JSON.parse(stdout);
  } catch (cause) {
    // one that did not even start says nothing of the file
    if (!(cause instanceof ExecaError) || (cause.exitCode === undefined && !cause.isTerminated)) throw cause;
    throw refuse("The file is damaged, or of a kind that cannot be read: save it as MP4 or MP3.", cause);
  }
}
