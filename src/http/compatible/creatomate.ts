import { type Context, Hono } from "hono";
import { z } from "zod";
import { isDomainError } from "../../errors.ts";
import type { Services } from "../../services.ts";
import type { AppEnv } from "../app-env.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { readJsonBody } from "../request/json-body.ts";
import { statusOf } from "../response/error-status.ts";
import {
  type CompatibleOptions,
  keyAsToken,
  type RenderState,
  RouteFailed,
  renderState,
  startRender,
  unsupportedIn,
} from "./renders.ts";

const Body = z.looseObject({
  template_id: z.string().optional(),
  source: z.looseObject({}).optional(),
  elements: z.array(z.unknown()).optional(),
});

/** A request that the service would refuse. */
class SourceRefused extends Error {
  override readonly name = "SourceRefused";
}

const statuses = {
  fetching: "planned",
  queued: "waiting",
  rendering: "rendering",
  done: "succeeded",
  failed: "failed",
} as const;

const stateView = (state: RenderState) => ({
  id: state.id,
  status: statuses[state.status],
  ...(state.error !== undefined && { error_message: state.error }),
  ...(state.url !== undefined && { url: state.url }),
  ...(state.posterUrl !== undefined && { snapshot_url: state.posterUrl }),
  ...(state.format !== undefined && { output_format: state.format }),
  render_scale: 1,
  ...(state.width !== undefined && { width: state.width, height: state.height }),
  ...(state.sizeBytes !== undefined && { file_size: state.sizeBytes }),
});

function requireSupported(body: z.output<typeof Body>): void {
  if (body.template_id !== undefined && body.source === undefined) {
    throw new SourceRefused("The template does not exist here: send the source of the film.");
  }
  const unsupported = unsupportedIn(body, "creatomate", () => false);
  const [first, ...more] = unsupported;
  if (!first) return;
  const others = more.length > 0 ? ` (and ${more.length} more)` : "";
  throw new SourceRefused(`The property '${first.path}' is not supported: ${first.why}${others}`);
}

/** The renders of Creatomate's API, in one of its versions. Off by default. */
export function creatomateRoutes(services: Services, options: CompatibleOptions, version: 1 | 2) {
  return (
    new Hono<AppEnv>()
      .onError(answerError)
      .use(keyAsToken)
      // without its description: the API document describes the routes of the API only
      .use((c, next) => anyCredential(c, next))
      .post("/renders", async (c) => {
        const { data: body, error } = Body.safeParse(await readJsonBody(c));
        if (error) throw new SourceRefused("The request must be an object with the source of a film.");
        requireSupported(body);
        const id = await startRender(c, services, options, { edit: body, type: "creatomate" });
        const begun = { id, status: "planned", render_scale: 1 };
        return c.json(version === 1 ? [begun] : begun, 202);
      })
      .get("/renders/:id", async (c) => {
        const state = await renderState(c, services, options, c.req.param("id"));
        return c.json(stateView(state), 200);
      })
  );
}

const anyCredential = requireScopes();

/** Errors in the shape of that API. */
function answerError(error: Error, c: Context<AppEnv>): Response {
  if (error instanceof SourceRefused) return c.json({ message: error.message }, 400);
  const status = error instanceof RouteFailed ? error.status : isDomainError(error) ? statusOf(error.code) : 500;
  if (status >= 500) c.var.logError(error);
  return c.json({ message: status >= 500 ? "Something broke on our side." : error.message }, status as 400);
}
