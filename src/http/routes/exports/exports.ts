import { type Context, Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { z } from "zod";
import { type ExportJob, followExport, hasEnded, requireExport } from "../../../domain/exports/jobs.ts";
import { exportFilm, orderExport, removeExport } from "../../../domain/exports/run.ts";
import { aspectRatios, ExportTarget } from "../../../domain/exports/schema.ts";
import { shownExport } from "../../../domain/exports/view.ts";
import { AsyncExportRequest } from "../../../domain/exports/webhooks/schema.ts";
import type { Services } from "../../../domain/services.ts";
import { invalid } from "../../../errors.ts";
import type { AppEnv } from "../../app-env.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { loadWorkNamedBy } from "../../middleware/load-resource.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { queryToken, requireScopes } from "../../middleware/require-scopes.ts";
import { pageItems, pageRequest } from "../../request/paging.ts";
import { PageQuery } from "../../request/schemas.ts";
import { validate } from "../../request/validate.ts";
import { sendFilm } from "../../response/send-film.ts";

const FileQuery = z.object({ target: z.enum(aspectRatios).optional() });

export const mayExport = () => requireScopes("works:read", "projects:read");

/** After a first look at the body: the work that it names, before the rest is judged. */
export const namedInBody = async (c: Context<AppEnv>) => ExportTarget.parse(await c.req.json());

/** An order whose owner waits for the film, unless he prefers not to. */
export const exportRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/",
    mayExport(),
    noIdleTimeout,
    validate("json", ExportTarget),
    loadWorkNamedBy(services, namedInBody),
    validate("json", AsyncExportRequest),
    idempotent(services),
    async (c) => {
      const [caller, work, request] = [c.var.caller, c.var.work, c.req.valid("json")];
      if (prefersAsync(c)) return accepted(c, await orderExport(services, caller, work, request));
      if (request.webhook)
        throw invalid("webhook", "Who waits for the film hears of its end: send Prefer: respond-async.");
      const job = await exportFilm(services, caller, work, request, c.req.raw.signal);
      await keepForReplay(c, services, job);
      return sendFilm(c, services.files, job, { disposition: "attachment" });
    },
  );

// RFC 7240
const prefersAsync = (c: Context<AppEnv>) => /(^|[,;\s])respond-async($|[,;\s])/i.test(c.req.header("prefer") ?? "");

/** The film is made while its owner does something else. */
function accepted(c: Context<AppEnv>, job: ExportJob) {
  c.header("Location", `/api/exports/${job.id}`);
  c.header("Preference-Applied", "respond-async");
  return c.json(shownExport(job), 202);
}

async function keepForReplay(c: Context<AppEnv>, { files }: Services, { files: [film] }: ExportJob): Promise<void> {
  if (film) await c.var.keepAnswerFile?.({ path: await files.localPath(film.key), sizeBytes: film.sizeBytes });
}

/** One's own exports, running and past. */
export const exportJobRoutes = (services: Services) => {
  const { exports, files } = services;
  const mine = (c: Context<AppEnv>) => requireExport(exports, c.var.caller.user.id, c.req.param("exportId") ?? "");
  return new Hono<AppEnv>()
    .post(
      "/",
      mayExport(),
      validate("json", ExportTarget),
      loadWorkNamedBy(services, namedInBody),
      validate("json", AsyncExportRequest),
      idempotent(services),
      async (c) => accepted(c, await orderExport(services, c.var.caller, c.var.work, c.req.valid("json"))),
    )
    .get("/", mayExport(), validate("query", PageQuery), async (c) => {
      const page = await exports.list(c.var.caller.user.id, pageRequest(c.req.valid("query")));
      return c.json({ exports: pageItems(c, page).map(shownExport), count: page.count }, 200);
    })
    .get("/:exportId", mayExport(), async (c) => c.json(shownExport(await mine(c)), 200))
    .get("/:exportId/file", queryToken, mayExport(), validate("query", FileQuery), async (c) => {
      const { target } = c.req.valid("query");
      return sendFilm(c, files, await mine(c), { disposition: "inline", target });
    })
    .get("/:exportId/events", queryToken, mayExport(), noIdleTimeout, async (c) =>
      sendEvents(c, services, await mine(c)),
    )
    .delete("/:exportId", mayExport(), async (c) => {
      await removeExport(services, await mine(c));
      return c.body(null, 204);
    });
};

const heartbeatMs = 15_000;

/** Server-sent events: each carries the whole state, so that whoever comes late or comes back misses nothing. */
function sendEvents(c: Context<AppEnv>, services: Services, found: ExportJob): Response {
  const seen = c.req.header("last-event-id");
  // this status tells a browser not to come back
  if (hasEnded(found) && seen === `${found.revision}`) return c.body(null, 204);

  return streamSSE(c, async (stream) => {
    const gone = new AbortController();
    stream.onAbort(() => gone.abort());
    const heartbeat = setInterval(() => void stream.write(": alive\n\n"), heartbeatMs);
    try {
      let isSeen = seen === `${found.revision}`;
      let last = found;
      for await (const job of followExport(services, found, gone.signal)) {
        last = job;
        if (!isSeen || job.revision !== found.revision) await stream.writeSSE(eventOf(job));
        isSeen = false;
      }
      if (!hasEnded(last) && !gone.signal.aborted) await stream.writeSSE(eventOf({ ...last, status: "cancelled" }));
    } finally {
      clearInterval(heartbeat);
    }
  });
}

const eventOf = (job: ExportJob) => ({
  id: `${job.revision}`,
  event: hasEnded(job) ? job.status : "progress",
  data: JSON.stringify(shownExport(job)),
});
