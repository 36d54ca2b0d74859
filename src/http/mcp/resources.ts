import { toMarkdown } from "../document/markdown.ts";
import type { ApiDocument } from "../document/types.ts";
import { guide } from "./guide.ts";

export type Resources = {
  readonly list: { uri: string; name: string; title: string; description: string; mimeType: string }[];
  /** The text of a resource; undefined if there is none with this URI. */
  read(uri: string): string | undefined;
};

const mimeType = "text/markdown";

export function textResources(document: ApiDocument): Resources {
  let reference: string | undefined;
  const texts = [
    {
      uri: "reelwright://guide",
      name: "guide",
      title: "How to make a film",
      description: "The steps from a brief to a film, the shape of an export, and what to do about errors.",
      read: () => guide,
    },
    {
      uri: "reelwright://reference",
      name: "reference",
      title: "Reference of the HTTP API",
      description: "Every operation and every field of the API that the tools use, with units, limits and defaults.",
      read: () => {
        reference ??= toMarkdown(document);
        return reference;
      },
    },
  ];
  return {
    list: texts.map(({ read: _, ...resource }) => ({ ...resource, mimeType })),
    read: (uri) => texts.find((text) => text.uri === uri)?.read(),
  };
}
