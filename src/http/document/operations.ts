import { tags } from "./tags.ts";
import type { ApiDocument, NamedOperation } from "./types.ts";

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
