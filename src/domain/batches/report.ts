import type { BatchEstimate } from "./batch.ts";
import type { Finding } from "./findings.ts";
import type { Cells } from "./rows.ts";

export type BatchReport = {
  /** Counts for the whole table; films are valid, invalid or unchanged as far as they were checked. */
  readonly counts: { readonly [Name in "rows" | "films" | "valid" | "invalid" | "unchanged"]: number };
  /** The placeholders of the base that rows fill. */
  readonly placeholders: readonly string[];
  readonly columns: readonly string[];
  /** The first rows, with shortened texts. */
  readonly sample: readonly Cells[];
  readonly estimate: BatchEstimate;
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** True if there are more errors or warnings. */
  readonly isTruncated: boolean;
};
