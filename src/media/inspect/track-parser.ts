import { isDomainError } from "../../errors.ts";
import type { Container } from "../../timeline/source.ts";
import { readTracks, type TrackFacts } from "./tracks.ts";

/** A program of its own: a small file may claim so much that whoever parses it runs out of memory. */
export type ParserAnswer = { readonly facts: TrackFacts } | { readonly refusal: string };

async function answer(path: string, container: Container): Promise<ParserAnswer> {
  try {
    return { facts: await readTracks(path, container) };
  } catch (error) {
    if (isDomainError(error)) return { refusal: error.message };
    throw error;
  }
}

if (import.meta.main) {
  const [path, container] = process.argv.slice(2);
  // safe because the service itself starts this, with a container that it knows
  await Bun.write(Bun.stdout, JSON.stringify(await answer(path!, container as Container)));
}
