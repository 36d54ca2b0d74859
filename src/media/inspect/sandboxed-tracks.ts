import { join, resolve } from "node:path";
import type { Container, MediaFacts } from "../../timeline/source.ts";
import { FileManifestResult } from "../c2pa/schema.ts";
import { runSandboxed, SandboxedProcessError } from "../sandbox/one-shot-process.ts";
import { unsupportedMedia } from "./file-families.ts";
import type { FormatResult, ParserResult } from "./track-parser.ts";
import type { TrackFacts } from "./tracks.ts";

// one hour of MP3, which has no index, takes 2 s and 300 MB; the limit is on address space, of which Bun uses 400 MB
const limits = { cpuSeconds: 20, fileBytes: 0, memoryBytes: 2 ** 31 };
const timeoutMilliseconds = 40_000;

/** Runs `readTracks` in a sandboxed process. Throws unsupported_media_type. Tests give it less memory. */
export async function readTracksSandboxed(
  path: string,
  container: Container,
  { memoryBytes = limits.memoryBytes } = {},
): Promise<TrackFacts & Pick<MediaFacts, "manifest">> {
  const result = await parseTracks(resolve(path), container, memoryBytes);
  if ("refusal" in result) throw unsupportedMedia(result.refusal);
  const { facts, manifest } = result;
  return { ...facts, ...(manifest && { manifest: FileManifestResult.parse(manifest) }) };
}

async function parseTracks(path: string, container: Container, memoryBytes: number): Promise<ParserResult> {
  try {
    return await runParser<ParserResult>([path, container], memoryBytes);
  } catch (cause) {
    if (!(cause instanceof SandboxedProcessError)) throw cause;
    throw unsupportedMedia("The file is damaged, or of a kind that cannot be read: save it as MP4 or MP3.", cause);
  }
}

/** Runs `soundFormatOf` in a sandboxed process; undefined also for a file that it cannot read. */
export async function soundFormatSandboxed(path: string): Promise<string | undefined> {
  try {
    return (await runParser<FormatResult>([resolve(path)])).format ?? undefined;
  } catch (error) {
    if (error instanceof SandboxedProcessError) return undefined;
    throw error;
  }
}

const runParser = <Result>(args: readonly string[], memoryBytes = limits.memoryBytes): Promise<Result> =>
  runSandboxed(join(import.meta.dir, "track-parser.ts"), args, {
    reads: args.slice(0, 1),
    limits: { ...limits, memoryBytes },
    timeoutMilliseconds,
  });
