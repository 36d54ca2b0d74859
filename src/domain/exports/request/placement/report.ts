import type { DomainError } from "../../../../errors.ts";

/** Collects errors that need more than the schema; the layer is then laid out as far as possible. */
export type Report = (error: DomainError) => void;
