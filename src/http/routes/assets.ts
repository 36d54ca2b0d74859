import { Hono } from "hono";
import { z } from "zod";
import { addAsset, assetTypes, changeAsset, removeAsset } from "../../domain/assets/assets.ts";
import type { Services } from "../../domain/services.ts";
import { requireSameIds, withoutRevision } from "../../domain/shared/versioned.ts";
import { isDomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";
import { loadAsset, loadProject } from "../middleware/load-resource.ts";
import { queryToken, requireScopes } from "../middleware/require-scopes.ts";
import { requireSaneValue } from "../request/json-limits.ts";
import { pageItems, pageRequest } from "../request/paging.ts";
import { Name, PageQuery, SameId, Tags } from "../request/schemas.ts";
import { oneText, upload } from "../request/upload.ts";
import { validate } from "../request/validate.ts";
import { assetView } from "../response/asset-view.ts";
import { expectedRevision } from "../response/etag.ts";
import { sendStored, sendThumbnail } from "../response/send-file.ts";
import { shown } from "../response/with-etag.ts";

const ListQuery = PageQuery.extend({ type: z.enum(assetTypes).optional() });

/** Tags come in one field each, or all in one as a JSON list. */
const TagFields = z
  .array(z.string())
  .transform((values, context) => values.flatMap((value) => tagsIn(value, context)))
  .pipe(Tags);

const NewAsset = z.object({ name: oneText(Name).optional(), tags: TagFields.optional() });

const ChangedAsset = z.object({ id: SameId, projectId: SameId, name: Name.optional(), tags: Tags.nullish() });

export const assetRoutes = (services: Services) => {
  const { assets, files } = services;
  const [ownParent, own] = [loadProject(services), loadAsset(services)];
  const [mayRead, mayWrite] = [requireScopes("projects:read"), requireScopes("projects:write")];

  return new Hono<AppEnv>()
    .get("/", mayRead, ownParent, validate("query", ListQuery), async (c) => {
      const { type, ...page } = c.req.valid("query");
      const found = await assets.list(c.var.project.id, { type }, pageRequest(page));
      const { count, totalSizeBytes: totalSize } = found;
      return c.json({ assets: pageItems(c, found).map(withoutRevision).map(assetView), totalSize, count }, 200);
    })
    .post("/", mayWrite, ownParent, upload(services, "file", NewAsset), async (c) => {
      const { file: received, filename, texts } = c.req.valid("form");
      const asset = await addAsset(services, { projectId: c.var.project.id, received, filename, ...texts });
      return c.json(assetView(shown(c, asset)), 201);
    })
    .get("/:assetId/meta", mayRead, ownParent, own, (c) => c.json(assetView(shown(c, c.var.asset)), 200))
    .get("/:assetId/thumbnail", queryToken, mayRead, ownParent, own, (c) => sendThumbnail(c, files, c.var.asset))
    .get("/:assetId", queryToken, mayRead, ownParent, own, (c) => sendStored(c, files, c.var.asset.file))
    .put("/:assetId", mayWrite, ownParent, own, validate("json", ChangedAsset), async (c) => {
      const { id, projectId } = c.var.asset;
      const changes = requireSameIds(c.req.valid("json"), { id, projectId });
      const asset = await changeAsset(assets, c.var.asset, changes, expectedRevision(c));
      return c.json(assetView(shown(c, asset)), 200);
    })
    .delete("/:assetId", mayWrite, ownParent, own, async (c) => {
      await removeAsset(services, c.var.asset, expectedRevision(c));
      return c.body(null, 204);
    });
};

function tagsIn(value: string, context: z.core.$RefinementCtx): readonly unknown[] {
  if (value.trim() === "") return [];
  if (!value.trimStart().startsWith("[")) return [value];
  try {
    const tags = JSON.parse(value);
    requireSaneValue(tags, "tags");
    return tags;
  } catch (error) {
    if (isDomainError(error)) throw error;
    context.addIssue("Must be a JSON list of strings, or one tag in each field.");
    return z.NEVER;
  }
}
