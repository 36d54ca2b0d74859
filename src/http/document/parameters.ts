import type { Parameter } from "./types.ts";

const pathParameters: Readonly<Record<string, string>> = {
  projectId: "Begins with `proj_`.",
  assetId: "Begins with `asset_`.",
  templateId: "Begins with `tmpl_`.",
  libraryId: "As in the list of the library, such as `lower-third`.",
  workId: "Begins with `work_`.",
  exportId: "Begins with `exp_`.",
  operationId: "Begins with `op_`.",
  filmId: "Begins with `film_`.",
  batchId: "Begins with `batch_`.",
  itemId: "Begins with `item_`.",
  stepId: "As in the steps of the film, such as `scene-2-video`.",
  reviewId: "Begins with `review_`.",
  commentId: "Begins with `comment_`.",
  secret: "The last part of the link's URL.",
  sessionId: "Begins with `sess_`.",
  tokenId: "Begins with `tok_`.",
  previewId: "As in the URLs of a preview.",
  segmentId: "As in the segments of a preview.",
  mediaId: "Begins with `media_`.",
  sceneIndex: "The index of the scene in the work's `scenes`, from 0 to 499.",
};

const headers: Readonly<Record<string, string>> = {
  "x-model-id": "The model; by default the provider's first. At most 200 characters.",
  "x-api-key": "Your key for the provider, used only for this request and never stored.",
  "x-vision-provider": "The provider that looks at the video or image: `local`, or another of `GET /api/providers`.",
  "x-llm-provider": "The provider that writes: `local`, or another of `GET /api/providers`.",
  "x-image-provider": "The provider that draws the image: `local`, or another of `GET /api/providers`.",
  "x-video-provider": "The provider that makes the video: `local`, or another of `GET /api/providers`.",
  "x-speech-provider": "The provider that speaks or transcribes, as `GET /api/providers` names it.",
  "x-music-provider": "The provider of music and sound effects, as `GET /api/providers` names it.",
  "x-image-model-id": "The model for the image.",
  "x-image-api-key": "The key for the image's provider, if it differs from `x-api-key`.",
  "x-video-model-id": "The model for the video; by default `x-model-id`.",
  "x-video-api-key": "The key for the video's provider, if it differs from `x-api-key`.",
};

const queries: Readonly<Record<string, string>> = {
  limit: "Entries per page, from 1 to 1000; 1000 by default.",
  cursor: "From the `Link` header of the previous page.",
};

/** Adds the description that a parameter has wherever it occurs. */
export function describeParameter(parameter: Parameter): Parameter {
  const { name, in: place } = parameter;
  const known = { path: pathParameters[name], header: headers[name], query: queries[name] }[place];
  return { ...parameter, ...(known && !parameter.description && { description: known }) };
}
