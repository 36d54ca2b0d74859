import { createGoogle } from "@ai-sdk/google";
import type { AssetTask, LanguageModel, VisionModel } from "../../domain/ai/models.ts";
import type { ProviderCall, Purpose } from "../../domain/ai/provider-calls.ts";
import type { MediaFacts } from "../../timeline/source.ts";
import type { Access } from "../client/credentials.ts";
import { cappedFetch, textAnswerBytes } from "../client/limited-fetch.ts";
import {
  type Addressee,
  type Content,
  describedAsset,
  describedFilm,
  languageModel,
  shownFrames,
  shownPicture,
} from "../client/text-models.ts";
import { removeFilm, uploadFilm } from "./files.ts";

const addressee = (access: Access): Addressee => ({
  access,
  model: createGoogle({
    ...{ apiKey: access.apiKey, baseURL: access.baseUrl },
    fetch: cappedFetch({ maxBytes: textAnswerBytes }),
  })(encodeURIComponent(access.modelId)),
});

export const googleLanguage = (access: Access): LanguageModel => languageModel(addressee(access));

/** Watches films of the kinds it takes; of others it is shown pictures. */
export function googleVision(access: Access): VisionModel {
  const model = addressee(access);
  return {
    isBilled: true,
    sees: ({ mimeType }) => (filmTypes[mimeType] ? "film" : "frames"),

    describeFilm: ({ prompt, film: file, frames }, call) =>
      showing({ access, call, purpose: "analyze" }, { file, frames }, (content) =>
        describedFilm(model, { prompt, content }, call),
      ),

    describeAsset: ({ prompt, file, frames }, call) =>
      showing({ access, call, purpose: "describe" }, { file, frames }, (content) =>
        describedAsset(model, { prompt, content }, call),
      ),
  };
}

/** What Google calls the kinds of films that it takes. */
const filmTypes: Readonly<Record<string, string>> = {
  "video/mp4": "video/mp4",
  "video/quicktime": "video/mov",
  "video/webm": "video/webm",
  "video/3gpp": "video/3gpp",
};

/** Beyond this a film is uploaded first; a request may hold more, but would be several times in memory. */
const maxInlineBytes = 15 * 2 ** 20;

type Account = { readonly access: Access; readonly call: ProviderCall; readonly purpose: Purpose };

/** Asks with a file in view. A large film lies at Google's for as long as that takes. */
async function showing<Result>(
  { access, call, purpose }: Account,
  { file, frames }: Pick<AssetTask, "file" | "frames">,
  ask: (content: Content) => Promise<Result>,
): Promise<Result> {
  const mediaType = filmTypes[file.facts.mimeType];
  if (file.facts.kind === "image") return ask(frames.map(shownPicture));
  if (!mediaType) return ask(shownFrames(frames));

  const film = { type: "file" as const, mediaType, providerOptions: sampling(file.facts) };
  if (file.sizeBytes <= maxInlineBytes) return ask([{ ...film, data: await Bun.file(file.path).bytes() }]);

  const what = { provider: access.providerId, model: access.modelId, purpose };
  const upload = { access, film: file, mimeType: mediaType };
  const uploaded = await call.track(what, async (signal) => ({ result: await uploadFilm(upload, signal) }));
  try {
    return await ask([{ ...film, data: { google: uploaded.uri } }]);
  } finally {
    await removeFilm(access, uploaded);
  }
}

/** By itself Google looks once a second, too seldom for quick cuts: a short film may be looked at more closely. */
function sampling({ durationSeconds = 60 }: MediaFacts) {
  const fps = Math.min(Math.max(Math.floor(120 / durationSeconds), 1), 5);
  return { google: { videoMetadata: { fps } } };
}
