import { DomainError } from "../../errors.ts";

/** What every single resource has: it goes up by one with each change, and its ETag shows it. */
export type Versioned = { readonly revision: number };

/** The revisions a caller named in If-Match; undefined when the header was absent, "any" for `*`. */
export type ExpectedRevision = readonly number[] | "any" | undefined;

/** Refuses a change that was made to something other than what is stored now. */
export function requireRevision({ revision }: Versioned, expected: ExpectedRevision): void {
  if (expected === undefined || expected === "any" || expected.includes(revision)) return;
  throw new DomainError("precondition_failed", {});
}

/** An edit for a store's `change`: refused on a revision that the caller did not expect, and dated. */
export const editing =
  <Resource extends Versioned & { readonly updatedAt: number }>(
    expected: ExpectedRevision,
    edit: (found: Resource) => Resource,
  ) =>
  (found: Resource): Resource => {
    requireRevision(found, expected);
    return { ...edit(found), updatedAt: Date.now() };
  };

/** Stores answer undefined for what is missing, or went away meanwhile. */
export function requireFound<Found>(found: Found | undefined): Found {
  if (found === undefined) throw new DomainError("not_found", {});
  return found;
}

/** A whole object may be sent back as it was read: checks that it is the one of the path, and answers the rest of it. */
export function requireSameIds<Body extends object, Ids extends { readonly [name: string]: string }>(
  body: Body,
  ids: Ids,
): Omit<Body, keyof Ids> {
  const named = new Map<string, unknown>(Object.entries(body));
  for (const [name, id] of Object.entries(ids)) {
    const given = named.get(name);
    if (given !== undefined && given !== id) throw new DomainError("id_mismatch", { path: name });
    named.delete(name);
  }
  // safe because only the keys of `ids` are gone
  return Object.fromEntries(named) as Omit<Body, keyof Ids>;
}

/** What a change may say of each field: a new value, or null to clear it. */
export type Changes<Resource> = { readonly [Field in keyof Resource]?: Resource[Field] | null | undefined };

/** Puts the fields that `changes` names over `found`; null brings a field's default back, or removes it. */
export function withChanges<Resource extends object>(
  found: Resource,
  changes: Changes<NoInfer<Resource>>,
  defaults: Partial<NoInfer<Resource>> = {},
): Resource {
  const fields = new Map<string, unknown>(Object.entries(found));
  const fallbacks = new Map<string, unknown>(Object.entries(defaults));
  for (const [field, value] of Object.entries(changes)) {
    if (value === undefined) continue;
    const wanted = value ?? fallbacks.get(field);
    if (wanted === undefined) fields.delete(field);
    else fields.set(field, wanted);
  }
  // safe because only fields of the resource were set, and only optional ones removed
  return Object.fromEntries(fields) as Resource;
}

/** What a caller sees of a resource: its revision goes into the ETag instead. */
export function withoutRevision<Resource extends Versioned>(resource: Resource): Omit<Resource, "revision"> {
  const { revision: _, ...shown } = resource;
  return shown;
}
