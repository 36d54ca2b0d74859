import { toMarkdown } from "../document/markdown.ts";
import type { ApiDocument } from "../document/types.ts";
import { guide } from "./guide.ts";
import { type PreparedField, preparedField } from "./prepared-results.ts";

export type Resources = {
  readonly list: { uri: string; name: string; title: string; description: string; mimeType: string }[];
  readonly texts: ReadonlyMap<unknown, PreparedField>;
};

export const mimeType = "text/markdown";

export function textResources(document: ApiDocument): Resources {
  const resources = [
    {
      uri: "reelwright://guide",
      name: "guide",
      title: "How to make a video",
      description: "The steps from a brief to a video, the shape of an export, and what to do about errors.",
      text: guide,
    },
    {
      uri: "reelwright://reference",
      name: "reference",
      title: "Reference of the HTTP API",
      description: "Every operation and every field of the API that the tools use, with units, limits and defaults.",
      text: toMarkdown(document),
    },
  ];
  return {
    list: resources.map(({ text: _, ...resource }) => ({ ...resource, mimeType })),
    texts: new Map(resources.map(({ uri, text }) => [uri, preparedField("text", text)])),
  };
}
