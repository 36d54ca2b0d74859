import { DomainError } from "../../errors.ts";

/** A resource with optimistic concurrency control: each change increments its revision. */
export type Versioned = { readonly revision: number };

/** The revisions that a caller expects; "any" for every revision, undefined if the caller named none. */
export type ExpectedRevision = readonly number[] | "any" | undefined;

/** Throws precondition_failed if the stored revision is not an expected one. */
export function requireRevision({ revision }: Versioned, expected: ExpectedRevision): void {
  if (expected === undefined || expected === "any" || expected.includes(revision)) return;
  throw new DomainError("precondition_failed", {});
}

/** An edit for a store's `change` that checks the expected revision and sets `updatedAt`. */
export const editAtRevision =
  <Resource extends Versioned & { readonly updatedAt: number }>(
    expected: ExpectedRevision,
    edit: (found: Resource) => Resource,
  ) =>
  (found: Resource): Resource => {
    requireRevision(found, expected);
    return { ...edit(found), updatedAt: Date.now() };
  };

/** Throws not_found for undefined, which stores return for a resource that never existed or was removed. */
export function requireFound<Found>(found: Found | undefined): Found {
  if (found === undefined) throw new DomainError("not_found", {});
  return found;
}

/** Callers may send a resource back as they read it, with the ids of the path. Throws id_mismatch. */
export function requireSameIds<Body extends object, Ids extends { readonly [name: string]: string }>(
  body: Body,
  ids: Ids,
): Omit<Body, keyof Ids> {
  const fields = new Map<string, unknown>(Object.entries(body));
  for (const [name, id] of Object.entries(ids)) {
    const given = fields.get(name);
    if (given !== undefined && given !== id) throw new DomainError("id_mismatch", { path: name });
    fields.delete(name);
  }
  // safe because only the keys of `ids` are removed
  return Object.fromEntries(fields) as Omit<Body, keyof Ids>;
}

/** A partial update: a new value sets a field, null clears it. */
export type Changes<Resource> = { readonly [Field in keyof Resource]?: Resource[Field] | null | undefined };

/** Applies a partial update. Null restores the default of a field, or removes a field without one. */
export function withChanges<Resource extends object>(
  found: Resource,
  changes: Changes<NoInfer<Resource>>,
  defaults: Partial<NoInfer<Resource>> = {},
): Resource {
  const fields = new Map<string, unknown>(Object.entries(found));
  const fallbacks = new Map<string, unknown>(Object.entries(defaults));
  for (const [field, value] of Object.entries(changes)) {
    if (value === undefined) continue;
    const newValue = value ?? fallbacks.get(field);
    if (newValue === undefined) fields.delete(field);
    else fields.set(field, newValue);
  }
  // safe because only fields of the resource are set, and only optional ones removed
  return Object.fromEntries(fields) as Resource;
}

/** The resource as callers see it: http/ sends its revision separately. */
export function withoutRevision<Resource extends Versioned>(resource: Resource): Omit<Resource, "revision"> {
  const { revision: _, ...view } = resource;
  return view;
}
