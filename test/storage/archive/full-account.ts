import { sql } from "drizzle-orm";
import type { BatchOrder } from "../../../src/domain/batches/batch.ts";
import type { CompleteRequest } from "../../../src/domain/exports/request/fill-from-editor.ts";
import type { FilmOrder } from "../../../src/domain/films/film.ts";
import {
  batchBases,
  batches,
  batchItems,
  batchRows,
  batchTranslations,
  translations,
} from "../../../src/storage/tables/batches.ts";
import { deliveries } from "../../../src/storage/tables/destinations.ts";
import { exportWebhooks, webhookAttempts } from "../../../src/storage/tables/exports.ts";
import { filmSteps, films } from "../../../src/storage/tables/films.ts";
import { eventsOf } from "../../support/events.ts";
import { jsonClient } from "../../support/json-client.ts";
import { filesOfLook, lookZip } from "../../support/looks.ts";
import type { TestService, TestUser } from "../../support/service.ts";
import { formOf, mp4, png, wav } from "../../support/uploads.ts";
import { newWork, requireJson } from "../../support/work-videos.ts";

const newId = (prefix: string) => `${prefix}_${crypto.randomUUID().replaceAll("-", "")}`;

/** A user with a row in every table that archives hold, made over HTTP where that takes no second service. */
export async function fullAccount(service: TestService, user: TestUser) {
  const request = jsonClient(user);
  const work = await newWork(user, { name: "Film ✓", productName: "Tea" });
  const { projectId, workId } = work;
  const styleGuide = { tone: "warm", color_palette: ["#ff8800"], 10: "ten", 2: "two" };
  await request("PUT", `/api/projects/${projectId}`, { styleGuide, knowledge: "line\none", projectType: "saas" });
  await work.scene(0, await mp4());
  await work.audio(wav());
  const asset = await requireJson(
    user.request(`/api/projects/${projectId}/assets`, {
      method: "POST",
      body: formOf({ file: png(64, 32), name: "Logo", tags: ["brand"] }),
    }),
  );
  const overlay = { assetId: asset.id, timingMode: "relative", width: 8, height: 8 };
  const content = { textOverlays: [], imageOverlays: [{ id: "logo", ...overlay }] };
  const template = await request("POST", `/api/projects/${projectId}/templates`, { name: "Intro", content });
  await request("POST", `/api/projects/${projectId}/works/${workId}/apply-template`, { templateId: template.body.id });
  const look = await lookZip(filesOfLook("swiss"));
  await requireJson(user.request(`/api/projects/${projectId}/looks`, { method: "POST", body: formOf({ file: look }) }));
  const token = await request("POST", "/api/tokens", { name: "CI", scopes: ["projects:read"] });
  const image = await request("POST", "/api/generate/image", {
    prompt: "a cup",
    resolution: { width: 64, height: 64 },
  });

  const clips = [{ sceneIndex: 0, position: 0, end: 0.4 }];
  const film = { projectId, workId, clips, options: { width: 32, height: 18, fps: 10 } };
  const { body: job } = await request("POST", "/api/exports", film);
  await Array.fromAsync(eventsOf(await user.request(`/api/exports/${job.id}/events`)));
  await deliveredWebhook(service, job.id);
  await deliveredVideo(service, request, { userId: user.user.id, projectId, exportId: job.id });
  const reviews = `/api/projects/${projectId}/works/${workId}/reviews`;
  const { body: review } = await request("POST", reviews, { exportId: job.id });
  const comment = { at: 0.1, text: "Löuder", author: "Eve" };
  await request("POST", `/api/reviews/${review.url.split("/").at(-1)}/comments`, comment);
  // links with their videos are not archived, comments are
  await request("DELETE", `${reviews}/${review.id}`);
  await request("PUT", `/api/projects/${projectId}/budget`, { limit: "20.00", period: "month" });
  const order = await endedOrders(service, { userId: user.user.id, projectId, workId, exportId: job.id });
  for (const [spender, filmId] of [
    [null, null],
    [projectId, null],
    [projectId, order.filmId],
  ]) {
    await service.db.execute(sql`insert into upstream_calls (id, user_id, project_id, film_id, provider, model, purpose,
      milliseconds, outcome, seconds, estimate, cost, created_at)
      values (${newId("call")}, ${user.user.id}, ${spender}, ${filmId}, 'openai', 'm', 'image', 5, 'ok', 0.5, 60000,
        50000, 7)`);
  }
  return {
    ...{ ...work, ...order, asset, film, exportId: job.id as string },
    ...{ token: token.body.token as string, image: image.body },
  };
}

type Exported = { readonly userId: string; readonly projectId: string; readonly exportId: string };

/** A destination, and a delivery to it as it is once it has ended. */
async function deliveredVideo(service: TestService, request: ReturnType<typeof jsonClient>, exported: Exported) {
  const credentials = { accessKeyId: "key", secretAccessKey: "a secret access key" };
  const shelf = { type: "s3", bucket: "films", ...credentials };
  await request("PUT", `/api/projects/${exported.projectId}/destinations/shelf`, shelf);
  const result = { url: "https://films.s3.us-east-1.amazonaws.com/a.mp4", bucket: "films", key: "a.mp4", status: 200 };
  await service.db.insert(deliveries).values({
    ...{ id: newId("delivery"), ...exported, target: "", type: "s3", destination: "shelf", address: "c0ffee" },
    ...{ wishes: { key: "a.mp4" }, requireGate: false, dryRun: false, status: "delivered", attempt: 1, progress: {} },
    ...{ result, createdAt: 15, begunAt: 16, endedAt: 17 },
  });
}

/** As the rows are once the event of an ended export has arrived. */
async function deliveredWebhook({ db, services }: TestService, exportId: string) {
  await db.insert(exportWebhooks).values({
    ...{ exportId, url: "https://example.com/hook", secret: services.secretBox.seal("a secret that signs events") },
    ...{ state: "delivered", round: 1, eventId: newId("evt"), eventType: "export.done", body: "{}" },
  });
  await db
    .insert(webhookAttempts)
    .values({ exportId, at: 30, milliseconds: 4, outcome: "delivered", status: 204, reason: null });
}

/** A film and a batch with their rows, which have ended. */
async function endedOrders({ db }: TestService, owner: Record<"userId" | "projectId" | "workId" | "exportId", string>) {
  const { exportId, projectId, ...parents } = owner;
  const [filmId, batchId] = [newId("film"), newId("batch")];
  const common = {
    ...{ ...parents, projectId, name: "Tea", attempt: 1, revision: 2, approved: [] },
    ...{ createdAt: 10, updatedAt: 20, endedAt: 20, status: "done" as const, scopes: [] },
  };
  const film: FilmOrder = {
    ...{ brief: { text: "Tea" }, targets: ["9:16"], models: {}, stopAt: [], allowUnpriced: false, onUnknown: "wait" },
  };
  await db.insert(films).values({ ...common, id: filmId, order: film, exportId, warnings: [] });
  await db.insert(filmSteps).values({
    ...{ filmId, id: "scenario", place: 0, kind: "scenario", status: "done", dependsOn: [], checkpoints: {} },
    attempts: [{ state: "done", startedAt: 11, endedAt: 12 }],
  });
  const table: BatchOrder = {
    ...{ languages: [""], targets: [""], fileName: "{{key}}", columns: ["price"], stopAt: [] },
    ...{ onError: "continue", concurrency: 4, force: false },
  };
  const counts = { rows: 1, checked: 1, seconds: 1, tableBytes: 100 };
  await db.insert(batches).values({ ...common, ...counts, id: batchId, order: table });
  const request = { projectId, workId: owner.workId, clips: [], options: {} } as unknown as CompleteRequest;
  await db.insert(batchBases).values({ batchId, language: "", request });
  const hash = "cd".repeat(32);
  await db.insert(translations).values({ projectId, hash, language: "en", text: "Rad", translation: "Bike" });
  await db.insert(batchTranslations).values({ batchId, hash });
  await db.insert(batchRows).values({ batchId, row: 1, key: "1", cells: { price: "19" } });
  await db.insert(batchItems).values({
    ...{
      id: newId("item"),
      batchId,
      projectId,
      place: 0,
      row: 1,
      key: "1",
      language: "",
      target: "",
      fileName: "1.mp4",
    },
    ...{ status: "done", values: { price: "19" }, textLength: 2, frames: 10, isPreview: false, exportId },
    ...{ warnings: [], errors: [], approval: "none", identity: "a".repeat(64) },
  });
  return { filmId, batchId };
}
