import { Hono } from "hono";
import { z } from "zod";
import { addAsset, assetTypes, changeAsset, removeAsset } from "../../domain/assets/assets.ts";
import { measureBeats, measureWaveform } from "../../domain/assets/sound-measurements.ts";
import { namedObject, optional } from "../../domain/shared/schemas.ts";
import { requireSameIds, withoutRevision } from "../../domain/shared/versioned.ts";
import { isDomainError } from "../../errors.ts";
import type { Services } from "../../services.ts";
import { file, json, noContent, page as pageOf, resource, storedFile, versioned } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { taskOptions } from "../client-signal.ts";
import { idempotent, unlessRepeatable } from "../middleware/idempotency.ts";
import { loadAsset, loadProject } from "../middleware/load-resource.ts";
import { allowQueryToken, requireScopes } from "../middleware/require-scopes.ts";
import { requireStorageRoom } from "../middleware/storage-room.ts";
import { operationsOf } from "../openapi.ts";
import { pageRequest, withNextLink } from "../request/paging.ts";
import { upload } from "../request/upload.ts";
import { validate, validateOptionalJson } from "../request/validate.ts";
import { expectedRevision, withEtag } from "../response/etag.ts";
import { sendStoredFile, sendThumbnail } from "../response/send-file.ts";
import { formField, Name, PageQuery, SameId, Tags, textUpTo } from "../schemas/common.ts";
import { parseSafeJson } from "../schemas/json-limits.ts";
import { Asset, AssetList, assetView, Beats, Waveform } from "./views.ts";

const AssetListQuery = PageQuery.extend({
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
const AssetChanges = namedObject("AssetChanges", {
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

const WaveformQuery = z.object({
  points: z
    .string()
    .regex(/^\d{1,4}$/, "Must be a whole number.")
    .transform(Number)
    .pipe(z.int().min(1).max(4000))
    .default(1000)
    .describe("1 to 4,000; 1,000 by default."),
});

const BeatsOptions = namedObject("BeatsRequest", {
  bpm: optional(z.number().min(30).max(300)).describe("The tempo, if it is known: 30 to 300 beats a minute."),
});

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
      "/:assetId/waveform",
      ofAsset(canRead, {
        id: "getWaveform",
        summary: "Read the waveform of a sound",
        about: "Returns the lowest and the highest sample of equal parts of the sound, to draw it. Measured once.",
        answers: { 200: json(Waveform, "The waveform.") },
        errors: ["asset_wrong_type", "source_unreadable"],
      }),
      validate("query", WaveformQuery),
      async (c) => {
        const { points } = c.req.valid("query");
        return c.json(await measureWaveform(services, c.get("asset"), { ...taskOptions(c), points }), 200);
      },
    )
    .post(
      "/:assetId/beats",
      ofAsset(canRead, {
        id: "findBeats",
        summary: "Find the beats of a sound",
        about:
          "Measures the tempo and the beats in the first ten minutes of a sound, once, to cut a film to them. A known tempo as `bpm` excludes half and double ones.",
        answers: { 200: json(Beats, "The beats.") },
        errors: ["asset_wrong_type", "source_unreadable"],
      }),
      validateOptionalJson(BeatsOptions),
      async (c) => {
        const { bpm } = c.req.valid("json");
        return c.json(await measureBeats(services, c.get("asset"), { ...taskOptions(c), bpm }), 200);
      },
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
