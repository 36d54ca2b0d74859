import { z } from "zod";
import { assetTypes } from "../../domain/assets/assets.ts";
import { namedObject } from "../../domain/shared/schemas.ts";
import { isDomainError } from "../../errors.ts";
import { formField, Name, PageQuery, SameId, Tags, textUpTo } from "../schemas/common.ts";
import { parseSafeJson } from "../schemas/json-limits.ts";

export const AssetListQuery = PageQuery.extend({
  type: z.enum(assetTypes).optional().describe("By default, assets of all types."),
});

/** Tags in a form: one per field, or a JSON list in one field. */
const TagFields = z
  .array(z.string())
  .transform((values, context) => values.flatMap((value) => parseTags(value, context)))
  .pipe(Tags);

/** Null for a blank text, which means no description. */
const Description = z
  .string()
  .trim()
  .pipe(textUpTo(2000))
  .transform((text) => text || null);

/** The text fields of an asset's upload. */
export const NewAsset = z.object({
  name: formField(Name)
    .optional()
    .meta({ description: "By default, the name of the file.", examples: ["Product photo"] }),
  tags: TagFields.optional().meta({
    description: "A JSON list of texts, or one tag in each of several fields.",
    examples: ['["product"]'],
  }),
  description: formField(Description)
    .optional()
    .meta({ description: "At most 2,000 characters.", examples: ["The product on a table"] }),
});

/** Null clears the tags or the description. */
export const AssetChanges = namedObject("AssetChanges", {
  id: SameId,
  projectId: SameId,
  name: Name.optional(),
  tags: Tags.nullish(),
  description: Description.nullish(),
});

function parseTags(value: string, context: z.core.$RefinementCtx): readonly unknown[] {
  if (value.trim() === "") return [];
  if (!value.trimStart().startsWith("[")) return [value];
  try {
    // safe because Tags checks that it is a list of texts
    return parseSafeJson(value, { path: "tags" }) as readonly unknown[];
  } catch (error) {
    if (isDomainError(error)) throw error;
    context.addIssue("Must be a JSON list of texts, or one tag in each field.");
    return z.NEVER;
  }
}
