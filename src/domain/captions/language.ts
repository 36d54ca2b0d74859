import { isLanguageTag } from "../shared/schemas.ts";
import type { Work } from "../works/works.ts";

/** By default that of the work, which may be described in words instead. */
export const captionLanguage = (
  { language }: { readonly language?: string | undefined },
  work: Pick<Work, "language">,
): string | undefined =>
  language ?? (/^[a-z]{2,3}(-|$)/i.test(work.language) && isLanguageTag(work.language) ? work.language : undefined);
