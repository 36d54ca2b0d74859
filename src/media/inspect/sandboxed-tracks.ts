import { join, resolve } from "node:path";
import type { Container } from "../../timeline/source.ts";
import { runSandboxed, SandboxedProcessError } from "../ffmpeg/sandboxed-process.ts";
import type { ParserAnswer } from "./track-parser.ts";
import type { TrackFacts } from "./tracks.ts";
import { refuse } from "./types.ts";

// an hour of MP3, which has no index, takes two seconds and 300 MB; address space counts, of which Bun alone takes 400 MB
const limits = { cpuSeconds: 20, fileBytes: 0, memoryBytes: 2 ** 31 };
const timeoutMilliseconds = 40_000;

/** Reads a file's tracks where nothing else can be harmed. */
export async function readTracksSandboxed(path: string, container: Container): Promise<TrackFacts> {
  const answer = await parse(resolve(path), container);
  if ("refusal" in answer) throw refuse(answer.refusal);
  return answer.facts;
}

async function parse(path: string, container: Container): Promise<ParserAnswer> {
  try {
    return await runSandboxed(join(import.meta.dir, "track-parser.ts"), [path, container], {
      limits,
      timeoutMilliseconds,
    });
  } catch (cause) {
    if (!(cause instanceof SandboxedProcessError)) throw cause;
    throw refuse("The file is damaged, or of a kind that cannot be read: save it as MP4 or MP3.", cause);
  }
}
