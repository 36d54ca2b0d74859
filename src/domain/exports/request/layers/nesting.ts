import type { z } from "zod";

/** The outermost group is at depth 1. */
export const maxDepth = 4;

export const maxLayersInList = 500;

/** With those in groups. */
export const maxLayers = 1000;

/**
 * Checks how deep unparsed layers are nested, and how many there are: before they are parsed, because parsing is
 * recursive and takes time for each.
 */
export function requireBoundedNesting(layers: unknown, context: z.core.$RefinementCtx): unknown {
  let count = 0;
  const visit = (list: unknown, path: readonly (string | number)[], depth: number): boolean => {
    if (!Array.isArray(list)) return true;
    count += list.length;
    if (count > maxLayers) {
      context.addIssue({ code: "custom", path: [], message: "Must be at most 1,000 with those in groups." });
      return false;
    }
    return list.every((layer: unknown, index) => {
      const inner = typeof layer === "object" && layer !== null && "layers" in layer ? layer.layers : undefined;
      if (!Array.isArray(inner)) return true;
      const innerPath = [...path, index, "layers"];
      if (depth < maxDepth) return visit(inner, innerPath, depth + 1);
      context.addIssue({ code: "custom", path: innerPath, message: `Must not be nested more than ${maxDepth} deep.` });
      return false;
    });
  };
  visit(layers, [], 0);
  return layers;
}

type Nested = { readonly id?: string | undefined; readonly layers?: readonly Nested[] };

/** Reports ids that are used twice in all lists together. */
export function requireUniqueIds(layers: readonly Nested[], context: z.core.$RefinementCtx): void {
  const seen = new Set<string>();
  const visit = (list: readonly Nested[], path: readonly (string | number)[]): void => {
    for (const [index, { id, layers: inner = [] }] of list.entries()) {
      if (id !== undefined) {
        if (seen.has(id)) context.addIssue({ code: "custom", path: [...path, index, "id"], message: "Is used twice." });
        seen.add(id);
      }
      visit(inner, [...path, index, "layers"]);
    }
  };
  visit(layers, []);
}
