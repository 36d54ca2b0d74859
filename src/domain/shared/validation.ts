import type { z } from "zod";
import type { Issue } from "../../errors.ts";
import { formatIssue } from "../../platform/field-sentences.ts";
import { describeIssue } from "./issue-messages.ts";

/** `safeParse` with messages for people; see `describeIssue`. A schema's own message takes precedence. */
export const parseInput = <Schema extends z.ZodType>(schema: Schema, input: unknown) =>
  schema.safeParse(input, { error: describeIssue });

/** The issues of a failed `parseInput`. Each message is a sentence that names its field. */
export const issuesOf = ({ issues }: Pick<z.core.$ZodError, "issues">): readonly Issue[] =>
  withoutConsequences(issues).map(({ path, message }) => ({
    path: path.join("."),
    message: formatIssue(path, message),
  }));

/** Removes the other issues of a value of the wrong type: a text in place of a list also fails the list's length. */
export function withoutConsequences(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const isWrongType = ({ code }: z.core.$ZodIssue) => code === "invalid_type";
  const wrongTypes = new Set(issues.filter(isWrongType).map(({ path }) => path.join(".")));
  return issues.filter((issue) => isWrongType(issue) || !wrongTypes.has(issue.path.join(".")));
}
