import type { StyleDeclaration } from "./css.ts";

export type Variables = ReadonlyMap<string, readonly string[]>;

/** All values of each custom property. */
export function variablesOf(declarations: readonly StyleDeclaration[]): Variables {
  const custom = declarations.filter(({ property }) => property.startsWith("--"));
  const groups = Map.groupBy(custom, ({ property }) => property);
  return new Map(
    [...groups].map(([property, values]) => [property, [...new Set(values.map(({ value }) => value.trim()))]]),
  );
}
