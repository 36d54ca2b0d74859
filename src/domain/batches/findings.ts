import type { ErrorCode } from "../../errors.ts";
import type { AspectRatio } from "../exports/request/schema.ts";
import type { WarningCode } from "../exports/request/warnings.ts";

/** Codes of what only a table can have. */
const tableCodes = ["missing_column", "translation_missing", "rows_joined"] as const;
export type TableCode = (typeof tableCodes)[number];

/** An error or a warning of a row. */
export type Finding = {
  /** From 1, the header not counted. */
  readonly row: number;
  readonly key: string;
  readonly column?: string;
  readonly language?: string;
  readonly targets?: readonly AspectRatio[];
  /** A field of the request of the film. */
  readonly path: string;
  readonly code: ErrorCode | WarningCode | TableCode;
  /** What to change, in a sentence. */
  readonly message: string;
};
