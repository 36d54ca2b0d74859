import type { ContentBlock } from "@modelcontextprotocol/server";
import { z } from "zod";
import { filmCategories } from "../../../domain/films/film.ts";
import type { Batch, BatchFilms } from "../../batches/views.ts";
import { followEvents } from "../calls/follow-events.ts";
import { resultOf } from "../calls/results.ts";
import type { Tool, ToolCall, ToolResult } from "../calls/tool.ts";
import { idOf } from "../calls/tool-call.ts";
import { destinations, waitSeconds } from "./exports.ts";
import { budget, order } from "./films.ts";

type BatchView = z.output<typeof Batch>;

const hasEnded = ({ status }: BatchView) =>
  status === "done" || status === "partial" || status === "error" || status === "cancelled";

const isAtRest = (batch: BatchView) =>
  hasEnded(batch) ||
  (batch.status === "waiting" && !["storage", "exports", "provider"].includes(batch.waitingFor ?? ""));

function progressOf({ counts, status: message }: BatchView) {
  const { films, done, unchanged, invalid, error, cancelled } = counts;
  return { progress: done + unchanged + invalid + error + cancelled, total: films, message };
}

const pathOf = ({ args }: ToolCall) => `/api/projects/${idOf(args, "projectId")}/batches/${idOf(args, "batchId")}`;

async function status(call: ToolCall): Promise<ToolResult> {
  const { args, publicUrl } = call;
  const path = pathOf(call);
  const merge = (_: BatchView, data: BatchView) => data;
  const followed = await followEvents(call, path, Number(args.waitSeconds), {
    hasEnded: isAtRest,
    progressOf,
    merge,
  });
  // events leave out translations
  const batch: BatchView = isAtRest(followed) ? await (await call.send()).json() : followed;
  return { structured: batch, content: [...filesOf(batch, `${publicUrl}${path}`), ...nextStep(batch)] };
}

const link = (uri: string, name: string, mimeType: string, description: string): ContentBlock => ({
  ...{ type: "resource_link", uri, name, mimeType },
  description: `${description} Reading it needs the same token as this connection.`,
});

const filesOf = (batch: BatchView, url: string): readonly ContentBlock[] =>
  hasEnded(batch)
    ? [
        link(`${url}/archive.zip`, `${batch.name}.zip`, "application/zip", "All films."),
        link(`${url}/manifest.csv`, `${batch.name}.csv`, "text/csv", "A line for each film."),
      ]
    : [];

function nextStep(batch: BatchView): readonly ContentBlock[] {
  if (!isAtRest(batch)) return [{ type: "text", text: "The batch is not finished: call batch_status again." }];
  if (batch.waitingReason) return [{ type: "text", text: `The batch waits: ${batch.waitingReason}` }];
  const failed = batch.counts.invalid + batch.counts.error;
  if (failed === 0) return [];
  const text = `${failed} films were not made: batch_films with status invalid or error says why.`;
  return [{ type: "text", text }];
}

type FilmsView = z.output<typeof BatchFilms>;

/** Fewer than in the API's pages, because a model reads them all. */
const defaultLimit = 50;

/** Makes the URLs absolute, so that a host can open them. */
async function films(call: ToolCall): Promise<ToolResult> {
  const { args, publicUrl } = call;
  const { structured } = await resultOf({}, await call.send({ query: { limit: `${args.limit ?? defaultLimit}` } }));
  const page = structured as FilmsView;
  const absolute = page.films.map(({ url, ...film }) => ({ ...film, ...(url && { url: `${publicUrl}${url}` }) }));
  return { structured: { ...page, films: absolute } };
}

async function mark(call: ToolCall): Promise<ToolResult> {
  const { approval, note } = call.args;
  const verb = approval === "approved" ? "approve" : "reject";
  const path = `${pathOf(call)}/films/${idOf(call.args, "itemId")}/${verb}`;
  return resultOf({}, await call.send({ path, json: { ...(note !== undefined && { note }) } }));
}

/** Keys of other categories: accepted only as headers of the connection. */
const keyArguments = filmCategories.filter((category) => category !== "llm").map((category) => `${category}ApiKey`);

export const batchTools: readonly Tool[] = [
  {
    name: "batch_validate",
    title: "Validate a table of films",
    description:
      "Validates every row of a table in all languages and targets as batch_order would, and counts films that have not changed since an earlier batch. Each error names row, column and language. Nothing is stored or paid.",
    operation: "validateBatch",
    omit: ["webhook", "destinations", "checkRows", ...keyArguments, "llmApiKey", "apiKey"],
    sameAs: "batch_order",
    isReadOnly: true,
  },
  {
    name: "batch_order",
    title: "Order films from a table",
    description:
      "Makes a film from each row in each language and target, over one work whose texts show columns as {{column}}. Call batch_validate first, then follow it with batch_status. Films that did not change since an earlier batch keep their files. Models that translate, or make films from briefs, cost money: set a budget.",
    operation: "orderBatch",
    omit: ["webhook", ...keyArguments],
    run: order,
    brief: {
      base: "{ workId, export?, templateId?, values? }: a work whose saved editor shows columns as {{column}}, in texts, ids of images and URLs of sounds; export as in export_start, without the work. Or { film }: arguments of film_order for each row.",
      destinations,
      rows: "1 to 5,000 objects, each with a text for each column.",
      budget,
      models: "As in film_order: llm translates texts that a row has only in another language.",
      mapping: "Other names for columns: { column: placeholder }.",
    },
  },
  {
    name: "batch_status",
    title: "Wait for a batch",
    description:
      "Waits until a batch has ended or needs a person, counts its films, and returns links to their archive. waitingReason says what to do. Call it again if it is not finished.",
    operation: "getBatch",
    extra: z.object({ waitSeconds: waitSeconds(50) }),
    run: status,
  },
  {
    name: "batch_list",
    title: "List batches",
    description: "Lists the batches of a project, newest first, with the counts of their films.",
    operation: "listBatches",
  },
  {
    name: "batch_films",
    title: "List the films of a batch",
    description: "Lists the films of a batch, each with the URL of its video or the errors of its row.",
    operation: "listBatchFilms",
    run: films,
  },
  {
    name: "batch_approve",
    title: "Resume a batch after a stop",
    description:
      "Passes the stop of a batch: makes the films after its translations, or the rest after its preview. Let the user see these first.",
    operation: "approveBatch",
  },
  {
    name: "batch_mark_film",
    title: "Approve or reject a film of a batch",
    description:
      "Marks a film of a batch. The mark only filters the manifest and the archive; nothing is made or removed.",
    operation: "approveBatchFilm",
    extra: z.object({ approval: z.enum(["approved", "rejected"]) }),
    run: mark,
  },
  {
    name: "batch_retry",
    title: "Retry failed films",
    description:
      "Validates the rows of failed and invalid films again, and makes those that are valid. If the batch then waits for a key, call batch_keys.",
    operation: "retryBatch",
    omit: [...keyArguments, "llmApiKey", "apiKey"],
  },
  {
    name: "batch_update",
    title: "Change a batch",
    description:
      "Changes a batch's name, budget or stops. A batch that waits for its budget resumes with a higher one.",
    operation: "updateBatch",
    brief: { budget },
  },
  {
    name: "batch_keys",
    title: "Replace the keys of a batch",
    description: "Resumes with other provider keys, if the batch or one of its films waits for a key.",
    operation: "setBatchKeys",
    omit: [...keyArguments, "apiKey"],
  },
  {
    name: "batch_cancel",
    title: "Cancel a batch",
    description: "Cancels running films. Finished films stay.",
    operation: "cancelBatch",
  },
];
