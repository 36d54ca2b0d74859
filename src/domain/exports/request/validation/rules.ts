import type { Warning, WarningCode } from "../warnings.ts";

export type WarningDetail = Pick<Warning, "path" | "message">;

/** One rule per warning code. A rule gives one detail for each place that it concerns. */
export type Rules<Input> = Readonly<Partial<Record<WarningCode, (input: Input) => readonly WarningDetail[]>>>;

/** The warnings of a table of rules, each with the code of its rule. */
export const applyRules = <Input>(rules: Rules<Input>, input: Input): readonly Warning[] =>
  Object.entries(rules).flatMap(([code, rule]) =>
    // safe because the table's keys are codes
    rule(input).map(({ path, message }) => ({ path, code: code as WarningCode, message })),
  );
