import { isDomainError, isUnavailable } from "../../../errors.ts";
import { oncePer } from "../../../platform/async.ts";
import type { TaskOptions } from "../../../platform/limits/concurrency-limit.ts";
import { sha256Of } from "../../../platform/values.ts";
import { readWebPage } from "../../ai/style-guide/web-pages.ts";
import { canonicalJson } from "../../shared/canonical-json.ts";
import type { Check } from "./checking.ts";

/** Reads each page once. What prevents it is said by the film, which reads the page again. */
export function readPages(
  ports: Parameters<typeof readWebPage>[0],
  options: Required<TaskOptions>,
): NonNullable<Check["pages"]> {
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
