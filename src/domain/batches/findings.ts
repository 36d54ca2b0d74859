import type { ErrorCode } from "../../errors.ts";
import type { WarningCode } from "../exports/request/warnings.ts";
import type { AspectRatio } from "../shared/schemas.ts";

/** Codes for errors that only tables have. */
const tableCodes = ["missing_column", "translation_missing", "rows_joined"] as const;
export type TableCode = (typeof tableCodes)[number];

/** An error or a warning of a row. */
export type Finding = {
  /** Counted from 1 without the header. */
  readonly row: number;
  readonly key: string;
  readonly column?: string;
  readonly language?: string;
  readonly targets?: readonly AspectRatio[];
  /** A field of the film's request. */
  readonly path: string;
  readonly code: ErrorCode | WarningCode | TableCode;
  /** A sentence that says what to change. */
  readonly message: string;
};
