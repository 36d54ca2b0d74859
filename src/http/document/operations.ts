import { tags } from "./tags.ts";
import type { ApiDocument, NamedOperation } from "./types.ts";

type Group = { readonly tag: string; readonly about: string; readonly operations: readonly NamedOperation[] };

/** All operations by their tag, in the order of the tags. */
export function operationsByTag({ paths }: Pick<ApiDocument, "paths">): readonly Group[] {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): NamedOperation => ({ method, path, operation })),
  );
  return Object.entries(tags).map(([tag, about]) => ({
    tag,
    about,
    operations: operations.filter(({ operation }) => operation.tags?.includes(tag)),
  }));
}
