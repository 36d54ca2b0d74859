import { type Context, Hono } from "hono";
import { ExportRequest, ExportTarget } from "../../domain/export-schema.ts";
import { type ExportedFilm, exportFilm } from "../../domain/exports.ts";
import { gate } from "../../domain/gate.ts";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";
import { answeredOnce } from "../middleware/answered-once.ts";
import { needs } from "../middleware/needs.ts";
import { ownWorkNamedBy } from "../middleware/owned.ts";
import { unhurried } from "../middleware/unhurried.ts";
import { sendFile } from "../stream.ts";
import { validate } from "../validate.ts";

/** Exports share the machine's cores: more at a time would only make each of them slower. */
const exportQueue = () => gate({ concurrency: 2, queueLength: 20, retryAfterSeconds: 30 });

/** After a first look at the body: the work that it names, before the rest is judged. */
const namedInBody = async (c: Context<AppEnv>) => ExportTarget.parse(await c.req.json());

export const exportRoutes = (services: Services) => {
  const queued = exportQueue();
  return new Hono<AppEnv>().post(
    "/",
    needs("works:read", "projects:read"),
    unhurried,
    validate("json", ExportTarget),
    ownWorkNamedBy(services, namedInBody),
    validate("json", ExportRequest),
    answeredOnce(services),
    async (c) => {
      const { signal } = c.req.raw;
      const work = () => exportFilm(services, c.var.caller, c.var.work, c.req.valid("json"), signal);
      const exported = await queued(work, signal);
      await c.var.keepAnswerFile?.(exported.film);
      return sendFilm(c, exported, `${c.var.work.name}.mp4`);
    },
  );
};

/** Bun opens the file as soon as the answer leaves, and an open file outlives its name. */
const disposeAfterMs = 1000;

/** The whole film as an attachment. Only a stream of Bun's own keeps its Content-Length on the way out. */
function sendFilm(c: Context<AppEnv>, { film, warnings }: ExportedFilm, filename: string): Response {
  const read = () => {
    setTimeout(() => void film.dispose(), disposeAfterMs);
    return Bun.file(film.path).stream();
  };
  const answer = sendFile(c, { ...film, mimeType: "video/mp4", filename, disposition: "attachment", read });
  answer.headers.set("x-export-warnings", JSON.stringify([...new Set(warnings.map(({ code }) => code))]));
  return answer;
}
