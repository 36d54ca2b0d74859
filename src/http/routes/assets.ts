import { Hono } from "hono";
import { addAsset, changeAsset, removeAsset } from "../../domain/assets/assets.ts";
import type { Services } from "../../domain/services.ts";
import { requireSameIds, withoutRevision } from "../../domain/shared/versioned.ts";
import type { AppEnv } from "../app-env.ts";
import { loadAsset, loadProject } from "../middleware/load-resource.ts";
import { allowQueryToken, requireScopes } from "../middleware/require-scopes.ts";
import { requireStorageRoom } from "../middleware/storage-room.ts";
import { pageRequest, withNextLink } from "../request/paging.ts";
import { upload } from "../request/upload.ts";
import { validate } from "../request/validate.ts";
import { assetView } from "../response/asset-view.ts";
import { expectedRevision, withEtag } from "../response/etag.ts";
import { sendStoredFile, sendThumbnail } from "../response/send-file.ts";
import { AssetChanges, AssetListQuery, NewAsset } from "../schemas/assets.ts";
import { taskOptions } from "../task-options.ts";

export const assetRoutes = (services: Services) => {
  const { assets, files } = services;
  const canRead = requireScopes("projects:read");
  const canWrite = requireScopes("projects:write");
  const withProject = loadProject(services);
  const withAsset = loadAsset(services);

  return new Hono<AppEnv>()
    .get("/", canRead, withProject, validate("query", AssetListQuery), async (c) => {
      const { type, ...page } = c.req.valid("query");
      const found = await assets.list(c.get("project").id, { type }, pageRequest(page));
      const { count, totalSizeBytes: totalSize } = found;
      const views = withNextLink(c, found, (asset) => assetView(withoutRevision(asset)));
      return c.json({ assets: views, totalSize, count }, 200);
    })
    .post("/", canWrite, withProject, requireStorageRoom(services), upload(services, "file", NewAsset), async (c) => {
      const { file: received, filename, fields } = c.req.valid("form");
      const newAsset = { projectId: c.get("project").id, received, filename, ...fields };
      const added = await addAsset(services, newAsset, taskOptions(c));
      return c.json(assetView(withEtag(c, added)), 201);
    })
    .get("/:assetId/meta", canRead, withAsset, (c) => c.json(assetView(withEtag(c, c.get("asset"))), 200))
    .get("/:assetId/thumbnail", allowQueryToken, canRead, withAsset, (c) => sendThumbnail(c, files, c.get("asset")))
    .get("/:assetId", allowQueryToken, canRead, withAsset, (c) => sendStoredFile(c, files, c.get("asset").file))
    .put("/:assetId", canWrite, withAsset, validate("json", AssetChanges), async (c) => {
      const { id, projectId } = c.get("asset");
      const changes = requireSameIds(c.req.valid("json"), { id, projectId });
      const changed = await changeAsset(assets, c.get("asset"), changes, expectedRevision(c));
      return c.json(assetView(withEtag(c, changed)), 200);
    })
    .delete("/:assetId", canWrite, withAsset, async (c) => {
      await removeAsset(services, c.get("asset"), expectedRevision(c));
      return c.body(null, 204);
    });
};
