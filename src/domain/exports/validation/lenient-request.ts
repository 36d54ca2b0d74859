import { z } from "zod";
import { SceneIndex } from "../../shared/schemas.ts";
import { Audio } from "../schema.ts";
import type { NamedSources } from "../sources.ts";

/** Undefined in place of what is not as it should be. */
const readable = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);

const listOf = <Schema extends z.ZodType>(schema: Schema) => readable(z.array(readable(schema)));

const Readable = readable(
  z.object({
    clips: listOf(z.object({ sceneIndex: SceneIndex })),
    texts: listOf(z.object({ fontAssetId: readable(z.string().max(100)) })),
    images: listOf(z.object({ assetId: z.string().max(100) })),
    audio: readable(Audio),
  }),
);

/** What a request that is not valid names all the same: one look finds what is missing besides. */
export function readableIn(body: unknown): NamedSources & { readonly audio?: z.output<typeof Audio> | undefined } {
  const { clips = [], ...rest } = Readable.parse(body) ?? {};
  return { clips, ...rest };
}
