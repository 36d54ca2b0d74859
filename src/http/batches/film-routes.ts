import { type Context, Hono } from "hono";
import {
  type Approval,
  type Batch,
  type BatchItem,
  type Batch as BatchState,
  hasEnded,
  requireBatch,
  requireItem,
} from "../../domain/batches/batch.ts";
import { markItem } from "../../domain/batches/changes.ts";
import { manifestCsv, manifestJson } from "../../domain/batches/manifest.ts";
import { filmsOfItems, itemView } from "../../domain/batches/view.ts";
import { sentView } from "../../domain/destinations/deliveries.ts";
import { DomainError } from "../../errors.ts";
import type { Services } from "../../services.ts";
import { download, json, page as pageOf } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { loadProject, loads } from "../middleware/load-resource.ts";
import { noIdleTimeout } from "../middleware/no-idle-timeout.ts";
import { allowQueryToken, requireScopes } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { pageRequest, withNextLink } from "../request/paging.ts";
import { validate, validateOptionalJson } from "../request/validate.ts";
import { sendZip, textEntry, type ZipEntry } from "../response/send-zip.ts";
import { ItemQuery, ManifestQuery, MarkBody } from "./schemas.ts";
import { BatchFilm, BatchFilms, BatchManifest } from "./views.ts";

export const batchFilmRoutes = (services: Services) => {
  const { batches, internalUrls } = services;
  const canRead = requireScopes("works:read");
  const canMake = requireScopes("works:write", "works:read", "projects:read");
  const documented = operationsOf("Batches", loadProject(services));

  const found = (c: Context<AppEnv>) => requireBatch(batches, c.var.project.id, c.req.param("batchId") ?? "");
  /** Sets `batch` before a body about one of its films is read. */
  const loadItem = loads(async (c, next) => {
    const batch = await found(c);
    await requireItem(batches, batch.id, c.req.param("itemId") ?? "");
    c.set("batch", batch);
    await next();
  });
  const itemViews = async (batch: BatchState, items: readonly BatchItem[]) => {
    const ids = new Set(items.flatMap(({ exportId }) => exportId ?? []));
    const [films, sent] = await Promise.all([
      filmsOfItems(services, batch, items),
      ids.size > 0 ? services.deliveries.list(...ids) : [],
    ]);
    const sentOf = ({ exportId, target }: BatchItem) =>
      sent.filter((each) => each.exportId === exportId && (each.target === "" || each.target === target));
    return items.map((item) => {
      const deliveries = sentOf(item).map(sentView);
      return { ...itemView(item, internalUrls, films.get(item.id)), ...(deliveries.length > 0 && { deliveries }) };
    });
  };
  const marked = async (c: Context<AppEnv>, approval: "approved" | "rejected", note: string | undefined) => {
    const { batch } = c.var;
    const item = await requireItem(batches, batch.id, c.req.param("itemId") ?? "");
    const [shown] = await itemViews(batch, [await markItem(services, item, approval, note)]);
    // safe because one item gives one view
    return shown!;
  };

  return new Hono<AppEnv>()
    .get(
      "/:batchId/films",
      documented(canRead, {
        id: "listBatchFilms",
        summary: "List the films of a batch",
        about: "Returns the films in the order of the table, each with its file or the errors of its row.",
        answers: { 200: pageOf(BatchFilms, "The films.") },
        errors: ["not_found"],
      }),
      validate("query", ItemQuery),
      async (c) => {
        const { status, approval, ...page } = c.req.valid("query");
        const batch = await found(c);
        const items = await batches.listItems(batch.id, { status, approval }, pageRequest(page));
        const views = await itemViews(batch, items.items);
        return c.json({ films: withNextLink(c, { ...items, items: views }, (film) => film) }, 200);
      },
    )
    .get(
      "/:batchId/manifest.json",
      allowQueryToken,
      documented(canRead, {
        id: "getBatchManifest",
        summary: "Read the manifest of a batch",
        about: "Returns all films of the batch, as the list of its films shows them, in one document.",
        answers: { 200: json(BatchManifest, "The films.") },
        errors: ["not_found"],
      }),
      validate("query", ManifestQuery),
      async (c) => {
        const batch = await found(c);
        const manifest = manifestJson(services, { batch, approval: c.req.valid("query").approval });
        return sendText(c, "application/json", manifest);
      },
    )
    .get(
      "/:batchId/manifest.csv",
      allowQueryToken,
      documented(canRead, {
        id: "getBatchManifestCsv",
        summary: "Read the manifest of a batch as CSV",
        about:
          "Returns a line for each film of the batch. Cells that a spreadsheet would take for formulas get an apostrophe.",
        answers: { 200: download(["text/csv"], "The films.") },
        errors: ["not_found"],
      }),
      validate("query", ManifestQuery),
      async (c) => {
        const batch = await found(c);
        const manifest = manifestCsv(services, { batch, approval: c.req.valid("query").approval });
        c.header("Content-Disposition", "attachment; filename=manifest.csv");
        return sendText(c, "text/csv; charset=utf-8", manifest);
      },
    )
    .get(
      "/:batchId/archive.zip",
      allowQueryToken,
      documented(canRead, {
        id: "downloadBatch",
        summary: "Download the films of a batch",
        about:
          "Sends the videos of a batch that has ended, with its manifests, as a zip file. Who breaks off takes the rest by the URLs of the manifest.",
        answers: { 200: download(["application/zip"], "The videos.") },
        errors: ["not_found", "not_ready"],
      }),
      noIdleTimeout,
      validate("query", ManifestQuery),
      async (c) => sendArchive(c, services, await found(c), c.req.valid("query").approval),
    )
    .post(
      "/:batchId/films/:itemId/approve",
      documented(canMake, {
        id: "approveBatchFilm",
        summary: "Approve a film of a batch",
        about: "Marks the film as approved. The mark only filters the manifest and the archive; nothing is rendered.",
        answers: { 200: json(BatchFilm, "The film.") },
        errors: ["not_found"],
      }),
      loadItem,
      validateOptionalJson(MarkBody),
      async (c) => c.json(await marked(c, "approved", c.req.valid("json").note), 200),
    )
    .post(
      "/:batchId/films/:itemId/reject",
      documented(canMake, {
        id: "rejectBatchFilm",
        summary: "Reject a film of a batch",
        about: "Marks the film as rejected. The mark only filters the manifest and the archive; nothing is removed.",
        answers: { 200: json(BatchFilm, "The film.") },
        errors: ["not_found"],
      }),
      loadItem,
      validateOptionalJson(MarkBody),
      async (c) => c.json(await marked(c, "rejected", c.req.valid("json").note), 200),
    );
};

/** Sends the videos and both manifests as an uncompressed zip file, whose length is known. Throws not_ready. */
async function sendArchive(
  c: Context<AppEnv>,
  services: Services,
  batch: Batch,
  approval: Approval | undefined,
): Promise<Response> {
  if (!hasEnded(batch)) throw new DomainError("not_ready", { what: "batch" });
  const entries = await entriesOf(services, batch, approval);
  return sendZip(c, { filename: `${batch.name}.zip`, entries, lastModified: new Date(batch.createdAt) });
}

async function entriesOf(
  services: Services,
  batch: Batch,
  approval: Approval | undefined,
): Promise<readonly ZipEntry[]> {
  const { batches, files } = services;
  const videos = (await batches.videos(batch.id, approval)).map(
    ({ fileName: name, key, sizeBytes: size }): ZipEntry => ({
      name,
      size,
      open: () => files.read({ key, sizeBytes: size }, 0, size),
    }),
  );
  const manifest = { batch, approval };
  return [
    ...videos,
    textEntry("manifest.json", await joined(manifestJson(services, manifest))),
    textEntry("manifest.csv", await joined(manifestCsv(services, manifest))),
  ];
}

async function joined(parts: AsyncIterable<string>): Promise<string> {
  const texts: string[] = [];
  for await (const text of parts) texts.push(text);
  return texts.join("");
}

const encoder = new TextEncoder();

function sendText(c: Context<AppEnv>, type: string, parts: AsyncGenerator<string>): Response {
  c.header("Content-Type", type);
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: async () => void (await parts.return(undefined)),
  });
  return c.body(stream, 200);
}
