import { createHash } from "node:crypto";
import { isDomainError, isUnavailable } from "../../../errors.ts";
import type { TaskOptions } from "../../../platform/task-options.ts";
import { readWebPage } from "../../ai/style-guide/web-pages.ts";
import { canonicalJson } from "../../shared/canonical-json.ts";
import type { Check } from "./checking.ts";

/** Reads each page once. What prevents it is said by the film, which reads the page again. */
export function readPages(
  ports: Parameters<typeof readWebPage>[0],
  options: Required<TaskOptions>,
): NonNullable<Check["pages"]> {
  const known = new Map<string, Promise<string | undefined>>();
  const read = async (url: string): Promise<string | undefined> => {
    try {
      const page = await readWebPage(ports, url, options);
      return createHash("sha256").update(canonicalJson(page)).digest("hex");
    } catch (error) {
      if (isDomainError(error) && !isUnavailable(error)) return undefined;
      throw error;
    }
  };
  return (url) => {
    const found = known.get(url) ?? read(url);
    known.set(url, found);
    return found;
  };
}
