import { isDomainError, isUnavailable } from "../../../errors.ts";
import { oncePer } from "../../../platform/async.ts";
import type { TaskOptions } from "../../../platform/limits/concurrency-limit.ts";
import { sha256Of } from "../../../platform/values.ts";
import { readWebPage } from "../../ai/style-guide/web-pages.ts";
import { canonicalJson } from "../../shared/json.ts";
import type { Validation } from "./context.ts";

/** Reads each page once. The film itself reports failures, because it reads the page again. */
export function readPages(
  ports: Parameters<typeof readWebPage>[0],
  options: Required<TaskOptions>,
): NonNullable<Validation["pages"]> {
  return oncePer(
    (url) => url,
    async (url) => {
      try {
        return sha256Of(canonicalJson(await readWebPage(ports, url, options)));
      } catch (error) {
        if (isDomainError(error) && !isUnavailable(error)) return undefined;
        throw error;
      }
    },
  );
}
