import { z } from "zod";
import { CaptionsRequest } from "../../captions/schema.ts";
import { SceneIndex } from "../../shared/schemas.ts";
import { AudioRequest, VoiceRequest } from "../schema.ts";
import type { SoundsRequest } from "../sounds.ts";
import type { SourceReferences } from "../sources.ts";

/** Replaces invalid values by undefined. */
const lenient = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);

const lenientArray = <Schema extends z.ZodType>(schema: Schema) => lenient(z.array(lenient(schema)));

const LenientRequest = lenient(
  z.object({
    clips: lenientArray(z.object({ sceneIndex: SceneIndex })),
    texts: lenientArray(z.object({ fontAssetId: lenient(z.string().max(100)) })),
    images: lenientArray(z.object({ assetId: z.string().max(100) })),
    audio: lenient(AudioRequest),
    voice: lenient(VoiceRequest),
    captions: lenient(CaptionsRequest),
  }),
);

/** The references of an invalid request, so that missing files are reported together with its schema errors. */
export function parseLeniently(body: unknown): SourceReferences & SoundsRequest {
  const { clips = [], ...references } = LenientRequest.parse(body) ?? {};
  return { clips, ...references };
}
