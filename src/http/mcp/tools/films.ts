import type { ContentBlock } from "@modelcontextprotocol/server";
import { z } from "zod";
import { filmCategories } from "../../../domain/films/film.ts";
import type { Film } from "../../films/views.ts";
import { followEvents } from "../calls/follow-events.ts";
import { resultOf } from "../calls/results.ts";
import type { Tool, ToolCall, ToolResult } from "../calls/tool.ts";
import { idOf } from "../calls/tool-call.ts";
import { destinations, waitSeconds } from "./exports.ts";

export type FilmView = z.output<typeof Film>;

/** Models from the arguments, else from the connection's headers; if these name any, the others are local. */
export function modelsOf({ args, headers }: ToolCall): object {
  const named = (args.models ?? {}) as Readonly<Record<string, unknown>>;
  const onConnection = filmCategories.filter((category) => headers.get(`x-${category}-provider`));
  // a key belongs to one provider, which the connection names
  if (onConnection.length === 0) return named;
  const chosen = filmCategories.flatMap((category) => {
    const provider = headers.get(`x-${category}-provider`);
    if (provider) return [[category, { provider }]];
    return category === "speech" || headers.get(`x-${category}-api-key`) ? [] : [[category, { provider: "local" }]];
  });
  return { ...Object.fromEntries(chosen), ...named };
}

export const order = async (call: ToolCall): Promise<ToolResult> => {
  const { projectId: _, requestId: __, ...args } = call.args;
  const body = Object.fromEntries(Object.entries(args).filter(([name]) => !/apiKey$/i.test(name)));
  return resultOf({}, await call.send({ json: { ...body, models: modelsOf(call) } }));
};

export const isAtRest = ({ status, waitingFor }: FilmView) =>
  status === "done" ||
  status === "error" ||
  status === "cancelled" ||
  (status === "waiting" && waitingFor !== "provider");

/** Merges an event, which may contain only one step. */
function merge(
  known: FilmView,
  { step, ...state }: FilmView & { readonly step?: FilmView["steps"][number] },
): FilmView {
  if (!step) return state;
  return { ...known, ...state, steps: known.steps.map((each) => (each.id === step.id ? step : each)) };
}

function progressOf({ steps }: FilmView) {
  const done = steps.filter(({ status }) => status === "done" || status === "skipped").length;
  const running = steps.filter(({ status }) => status === "running").map(({ id }) => id);
  return { progress: done, total: steps.length, message: running.join(", ") };
}

/** Waits until a film rests, for at most `seconds`. Returns its last state. */
export const followFilm = (call: ToolCall, path: string, seconds: number): Promise<FilmView> =>
  followEvents(call, path, seconds, { hasEnded: isAtRest, progressOf, merge });

async function status(call: ToolCall): Promise<ToolResult> {
  const { args, publicUrl } = call;
  const path = `/api/projects/${idOf(args, "projectId")}/films/${idOf(args, "filmId")}`;
  const film = await followFilm(call, path, Number(args.waitSeconds));
  const files = film.files.map((file) => ({ ...file, url: `${publicUrl}${file.url}` }));
  return { structured: { ...film, files }, content: [...files.map((file) => link(film, file)), ...nextStep(film)] };
}

const link = ({ name }: FilmView, { target, url }: FilmView["files"][number]): ContentBlock => ({
  type: "resource_link",
  uri: url,
  name: `${name} ${target.replace(":", "x")}.mp4`,
  description: "The video. Reading it needs the same token as this connection.",
  mimeType: "video/mp4",
});

function nextStep(film: FilmView): readonly ContentBlock[] {
  if (!isAtRest(film)) return [{ type: "text", text: "The film is not finished: call film_status again." }];
  return film.waitingReason ? [{ type: "text", text: `The film is waiting: ${film.waitingReason}` }] : [];
}

/** Used for films and tables. */
export const budget = "{ limit }: what it may cost, in USD.";

const asInOrder = "As in film_order.";

export const filmTools: readonly Tool[] = [
  {
    name: "film_order",
    title: "Order a film",
    description:
      "Makes a whole film from a brief in one call: scenario, pictures, clips, voices, captions, export. It runs automatically: follow it with film_status. Without a key local makes everything for free; with keys it costs money: call film_estimate first, and set a budget.",
    operation: "orderFilm",
    omit: ["webhook"],
    brief: {
      budget,
      destinations,
      platforms: "As in export_start.",
      rules: "As in export_start.",
      gate: "As in export_start.",
      voice: "{ voice, style }, or false.",
      palette: "{ lead, accent, dark, light }: #rrggbb. By default the brand's, or the look's.",
      resolution: "{ width, height }; 1080×1920 by default.",
      captions: "As in export_start; false for none. By default, from the words of the scenario.",
      models:
        "{ llm, image, video, speech, vision, music }, each { provider, model } as providers_list names them; video false moves a camera over the pictures.",
    },
    run: order,
  },
  {
    name: "film_estimate",
    title: "Estimate a film",
    description: "Returns the maximum cost of each step of an order. Nothing is stored or paid.",
    operation: "estimateFilm",
    omit: [
      "webhook",
      "destinations",
      "gate",
      "platforms",
      "rules",
      ...filmCategories.map((category) => `${category}ApiKey`),
      "visionApiKey",
      "musicApiKey",
    ],
    sameAs: "film_order",
    brief: {
      snap: asInOrder,
      onUnknown: asInOrder,
      look: asInOrder,
      effects: asInOrder,
      references: asInOrder,
      fresh: "",
    },
    isReadOnly: true,
    run: order,
  },
  {
    name: "film_status",
    title: "Wait for a film",
    description:
      "Waits until a film is done or needs a person, reports its steps, and returns links to its videos. waitingReason says what to do. Call it again if it is not finished.",
    operation: "getFilm",
    extra: z.object({ waitSeconds: waitSeconds(50) }),
    run: status,
  },
  {
    name: "film_list",
    title: "List films",
    description: "Lists the films of a project, newest first, with what they wait for and their cost.",
    operation: "listFilms",
  },
  {
    name: "film_approve",
    title: "Resume a film after a stop",
    description:
      "Passes the stop that a film waits at, with an edited scenario if you give one; or skips the step that failed.",
    operation: "approveFilm",
    brief: { scenario: "All scenes, as works_get returns them, with your changes: only what differs is made again." },
  },
  {
    name: "film_retry_step",
    title: "Retry a step",
    description:
      "Makes one step of a film again, with another prompt or model, then the steps that depend on it. They are paid again: ask first.",
    operation: "retryFilmStep",
  },
  {
    name: "film_replace_step",
    title: "Replace a generated file",
    description: "Replaces the picture or clip of a step by an asset of the project.",
    operation: "replaceFilmStep",
  },
  {
    name: "film_update",
    title: "Change a film",
    description: "Changes a film's name, budget or stops. A film that waits for its budget resumes with a higher one.",
    operation: "updateFilm",
    brief: { budget },
  },
  {
    name: "film_keys",
    title: "Replace the keys of a film",
    description: "Resumes with other provider keys, if the film waits for a key.",
    operation: "setFilmKeys",
  },
  {
    name: "film_cancel",
    title: "Cancel a film",
    description: "Cancels running steps. Finished parts stay in the work.",
    operation: "cancelFilm",
  },
  {
    name: "prices_list",
    title: "List prices",
    description: "Lists the price of each model, by unit, with its date and source page.",
    operation: "listPrices",
    list: "prices",
  },
  {
    name: "spend_list",
    title: "Sum up spending",
    description: "Sums the cost of the user's calls, by day, project, model or film.",
    operation: "listSpend",
  },
  {
    name: "budget_get",
    title: "Read a budget",
    description: "Reads the budget of a project, with the amounts spent and reserved.",
    operation: "getBudget",
  },
  {
    name: "budget_set",
    title: "Set a budget",
    description: "Limits what a project may spend, in a month or in total. Calls that could exceed it are refused.",
    operation: "setBudget",
  },
];
