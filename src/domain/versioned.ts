import { DomainError } from "../errors.ts";

/** What every single resource has: it goes up by one with each change, and its ETag shows it. */
export type Versioned = { readonly revision: number };

/** The revisions a caller named in If-Match; undefined when the header was absent, "any" for `*`. */
export type ExpectedRevision = readonly number[] | "any" | undefined;

/** Refuses a change that was made to something other than what is stored now. */
export function requireRevision({ revision }: Versioned, expected: ExpectedRevision): void {
  if (expected === undefined || expected === "any" || expected.includes(revision)) return;
  throw new DomainError("precondition_failed", {});
}
