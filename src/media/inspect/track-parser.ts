import { isDomainError } from "../../errors.ts";
import type { Container, FileManifest } from "../../timeline/source.ts";
import { readFileManifest } from "../c2pa/read.ts";
import { requireBoundedMovie } from "../mp4/bounds.ts";
import { readTracks, soundFormatOf, type TrackFacts } from "./tracks.ts";

/** Printed as JSON. This file is a program of its own because a small file can make its parser run out of memory. */
export type ParserResult =
  | { readonly facts: TrackFacts; readonly manifest?: FileManifest | undefined }
  | { readonly refusal: string };

async function parse(path: string, container: Container): Promise<ParserResult> {
  try {
    if (container === "mp4") requireBoundedMovie(path);
    return { facts: await readTracks(path, container), manifest: readFileManifest(path, container) };
  } catch (error) {
    if (isDomainError(error)) return { refusal: error.message };
    throw error;
  }
}

/** Printed for a file without a known signature. */
export type FormatResult = { readonly format: string | null };

const [path, container] = process.argv.slice(2);
// safe because only sandboxed-tracks.ts starts this program, with a Container or nothing
const result = container ? await parse(path!, container as Container) : { format: await soundFormatOf(path!) };
await Bun.write(Bun.stdout, JSON.stringify(result satisfies ParserResult | FormatResult));
