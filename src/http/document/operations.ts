import type { ApiDocument, NamedOperation } from "./types.ts";

/** The groups of operations, in the order in which a newcomer needs them. */
export const tags = {
  Accounts: "Register, log in, and manage your account and its sessions.",
  Tokens: "API tokens: credentials for programs, with scopes. Only a login manages them.",
  Projects: "A project holds a style guide, prompts, assets, templates and works.",
  Assets: "Images, videos, sounds and fonts of a project. Their type is read from their bytes.",
  Templates: "Overlays with placeholders and relative times, to apply to works.",
  Works: "A work is one video: its scenario, its scenes and the state of its editor.",
  Media: "The files of a work: its reference video, the image and the video of each scene, its music.",
  AI: "Analysis, scenarios and generation by a provider of the caller's choice. `local` needs no key.",
  Films: "Films from briefs: ordered once, made in steps that are paid once, within a budget.",
  Batches: "Many films from a table: rows, languages and formats over one base, validated first.",
  Destinations: "Where videos are sent: buckets, addresses and YouTube channels, each video once.",
  Exports: "A work as an MP4 file: validated, previewed frame by frame, rendered, followed and downloaded.",
  Reviews: "Reviews by people without an account: links to a video, comments and approvals.",
  Operations: "Requests to AI routes that continue without their connection.",
  Usage: "Usage of the caller.",
  Service: "The state of the service, and this document.",
} as const;

type Group = { readonly tag: string; readonly about: string; readonly operations: readonly NamedOperation[] };

type Paths = Pick<ApiDocument, "paths">;

export const namedOperations = ({ paths }: Paths): readonly NamedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );

export function operationsByTag(document: Paths): readonly Group[] {
  const operations = namedOperations(document);
  return Object.entries(tags).map(([tag, about]) => ({
    tag,
    about,
    operations: operations.filter(({ operation }) => operation.tags?.includes(tag)),
  }));
}
