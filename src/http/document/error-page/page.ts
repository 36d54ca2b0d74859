import { STATUS_CODES } from "node:http";
import { internalSentence } from "../../response/error-response.ts";
import { type AnyErrorCode, httpErrors, statusOf } from "../../response/error-status.ts";
import { errorRemedies } from "./remedies.ts";
import { exampleSentence } from "./sentences.ts";

const introduction = `# Errors

Every error is JSON. \`error\` is one sentence for a person, \`code\` is stable and for programs, and \`requestId\` finds the request in the log of the service:

\`\`\`json
{
  "error": "Width must be an even number.",
  "code": "validation_error",
  "details": [{ "path": "options.width", "message": "Width must be an even number." }],
  "requestId": "0192f0a1-7c5e-7d8a-9d41-3f1c2b6a5e90"
}
\`\`\`

The client of the package \`reelwright\` throws them as \`ApiError\`, whose \`code\` selects the type of \`details\`. Warnings of an export are not errors: \`POST /api/export/validate\` lists them separately.

Repeat a request with status 429 or 503 after the seconds in \`Retry-After\`. A request that failed with 500 or 502, or whose connection broke, may have taken effect: repeat it with the same \`Idempotency-Key\`.`;

/** Lists every error with its status, an example sentence, its cause and a remedy. */
export function errorPage(): string {
  // safe because the table has these keys
  const codes = Object.keys(httpErrors) as AnyErrorCode[];
  const byStatus = Map.groupBy(codes, (code): number => statusOf(code));
  const groups = [...byStatus].sort(([one], [other]) => one - other);
  return [introduction, ...groups.map(([status, found]) => group(status, found))].join("\n\n").concat("\n");
}

const group = (status: number, codes: readonly AnyErrorCode[]): string =>
  [`## ${status} ${STATUS_CODES[status]}`, ...codes.map(entry)].join("\n\n");

const entry = (code: AnyErrorCode): string => {
  const sentence = code === "internal" ? internalSentence : exampleSentence(code);
  return [`### ${code}`, `> ${sentence}`, httpErrors[code][1], errorRemedies[code]].join("\n\n");
};
