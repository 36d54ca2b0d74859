import { DomainError } from "../errors.ts";
import type { Source } from "../timeline/source.ts";
import { type Ffmpeg, FfmpegError } from "./ffmpeg.ts";
import { requireDecodable } from "./inspect-sample.ts";

export const sourceUnreadable = ({ facts }: Source, cause: unknown): DomainError<"source_unreadable"> =>
  new DomainError("source_unreadable", { path: pathOf[facts.kind], what: `A ${facts.kind} of this film` }, { cause });

/** Where in the request such a file is named. */
const pathOf = { video: "clips", image: "clips", audio: "audio", font: "texts" } as const;

/** A source is blamed only when ffmpeg cannot decode it alone either; any other failure is ours. */
export async function blameSource(
  error: unknown,
  ffmpeg: Ffmpeg,
  sources: readonly { readonly source: Source; readonly path: string }[],
): Promise<unknown> {
  if (!(error instanceof FfmpegError)) return error;
  for (const { source, path } of sources) {
    if (source.facts.kind === "image") continue;
    try {
      await requireDecodable(ffmpeg, path, source.facts);
    } catch (cause) {
      return sourceUnreadable(source, cause);
    }
  }
  return error;
}
