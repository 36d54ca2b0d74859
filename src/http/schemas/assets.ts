import { z } from "zod";
import { assetTypes } from "../../domain/assets/assets.ts";
import { isDomainError } from "../../errors.ts";
import { formField, Name, PageQuery, SameId, Tags } from "./common.ts";
import { assertSafeJson } from "./json-limits.ts";

export const AssetListQuery = PageQuery.extend({ type: z.enum(assetTypes).optional() });

/** Tags in a form: one per field, or a JSON list of them in a field. */
const TagFields = z
  .array(z.string())
  .transform((values, context) => values.flatMap((value) => parseTags(value, context)))
  .pipe(Tags);

/** The text fields of an asset's upload. */
export const NewAsset = z.object({ name: formField(Name).optional(), tags: TagFields.optional() });

export const AssetChanges = z.object({ id: SameId, projectId: SameId, name: Name.optional(), tags: Tags.nullish() });

function parseTags(value: string, context: z.core.$RefinementCtx): readonly unknown[] {
  if (value.trim() === "") return [];
  if (!value.trimStart().startsWith("[")) return [value];
  try {
    const tags = JSON.parse(value);
    assertSafeJson(tags, "tags");
    return tags;
  } catch (error) {
    if (isDomainError(error)) throw error;
    context.addIssue("Must be a JSON list of strings, or one tag in each field.");
    return z.NEVER;
  }
}
