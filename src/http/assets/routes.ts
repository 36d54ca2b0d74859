import { Hono } from "hono";
import { addAsset, changeAsset, removeAsset } from "../../domain/assets/assets.ts";
import { requireSameIds, withoutRevision } from "../../domain/shared/versioned.ts";
import type { Services } from "../../services.ts";
import { file, noContent, page as pageOf, resource, storedFile, versioned } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { idempotent, unlessRepeatable } from "../middleware/idempotency.ts";
import { loadAsset, loadProject } from "../middleware/load-resource.ts";
import { allowQueryToken, requireScopes } from "../middleware/require-scopes.ts";
import { requireStorageRoom } from "../middleware/storage-room.ts";
import { operationsOf } from "../openapi.ts";
import { pageRequest, withNextLink } from "../request/paging.ts";
import { taskOptions } from "../request/task-options.ts";
import { upload } from "../request/upload.ts";
import { validate } from "../request/validate.ts";
import { expectedRevision, withEtag } from "../response/etag.ts";
import { sendStoredFile, sendThumbnail } from "../response/send-file.ts";
import { AssetChanges, AssetListQuery, NewAsset } from "./schemas.ts";
import { assetView } from "./to-view.ts";
import { Asset, AssetList } from "./views.ts";

/** The types of files that the service stores. */
const mediaTypes = ["image/*", "video/*", "audio/*", "font/*"];

export const assetRoutes = (services: Services) => {
  const { assets, files } = services;
  const canRead = requireScopes("projects:read");
  const canWrite = requireScopes("projects:write");
  const inProject = operationsOf("Assets", loadProject(services));
  const ofAsset = operationsOf("Assets", loadAsset(services));

  return new Hono<AppEnv>()
    .get(
      "/",
      inProject(canRead, {
        id: "listAssets",
        summary: "List the assets",
        about: "Returns the project's assets, newest first, all or those of one type.",
        answers: { 200: pageOf(AssetList, "The assets.") },
      }),
      validate("query", AssetListQuery),
      async (c) => {
        const { type, ...page } = c.req.valid("query");
        const found = await assets.list(c.get("project").id, { type }, pageRequest(page));
        const { count, totalSizeBytes: totalSize } = found;
        const views = withNextLink(c, found, (asset) => assetView(withoutRevision(asset)));
        return c.json({ assets: views, totalSize, count }, 200);
      },
    )
    .post(
      "/",
      inProject(canWrite, {
        id: "uploadAsset",
        summary: "Upload an asset",
        about:
          "Stores a file as an asset of the project: at most 500 MB, unless the server is set up otherwise. Its type, size and duration are read from its bytes; HTML and SVG are refused.",
        answers: { 201: resource(Asset, "The asset.") },
      }),
      unlessRepeatable(requireStorageRoom(services)),
      upload(services, "file", NewAsset),
      idempotent(services),
      async (c) => {
        const { file: received, filename, fields } = c.req.valid("form");
        const newAsset = { projectId: c.get("project").id, received, filename, ...fields };
        const added = await addAsset(services, newAsset, taskOptions(c));
        return c.json(assetView(withEtag(c, added)), 201);
      },
    )
    .get(
      "/:assetId/meta",
      ofAsset(canRead, {
        id: "getAsset",
        summary: "Read an asset",
        about: "Returns what is known about the file, and its URL.",
        answers: versioned(Asset, "The asset."),
      }),
      (c) => c.json(assetView(withEtag(c, c.get("asset"))), 200),
    )
    .get(
      "/:assetId/thumbnail",
      allowQueryToken,
      ofAsset(canRead, {
        id: "getAssetThumbnail",
        summary: "Download an asset's thumbnail",
        about: "Sends a small version of an image, or a frame of a video.",
        answers: file(["image/webp"], "The thumbnail."),
        errors: ["range_not_satisfiable", "source_unreadable"],
      }),
      (c) => sendThumbnail(c, files, c.get("asset")),
    )
    .get(
      "/:assetId",
      allowQueryToken,
      ofAsset(canRead, {
        id: "downloadAsset",
        summary: "Download an asset",
        about: "Sends the file as it was uploaded, with the asset's type, for display in a browser.",
        answers: storedFile(mediaTypes, "The file."),
        errors: ["range_not_satisfiable", "source_unreadable"],
      }),
      (c) => sendStoredFile(c, files, c.get("asset").file),
    )
    .put(
      "/:assetId",
      ofAsset(canWrite, {
        id: "updateAsset",
        summary: "Change an asset",
        about: "Changes the name, the tags or the description. The file stays.",
        answers: { 200: resource(Asset, "The changed asset.") },
        errors: ["id_mismatch", "precondition_failed"],
      }),
      validate("json", AssetChanges),
      async (c) => {
        const { id, projectId } = c.get("asset");
        const changes = requireSameIds(c.req.valid("json"), { id, projectId });
        const changed = await changeAsset(assets, c.get("asset"), changes, expectedRevision(c));
        return c.json(assetView(withEtag(c, changed)), 200);
      },
    )
    .delete(
      "/:assetId",
      ofAsset(canWrite, {
        id: "deleteAsset",
        summary: "Delete an asset",
        about: "Removes the asset and its file. Works and templates that use it can no longer be exported with it.",
        answers: noContent("The asset is deleted."),
        errors: ["precondition_failed"],
      }),
      async (c) => {
        await removeAsset(services, c.get("asset"), expectedRevision(c));
        return c.body(null, 204);
      },
    );
};
