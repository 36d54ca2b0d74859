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
  projectNamed,
  type RenderState,
  RouteFailed,
  renderState,
  sendTo,
  startRender,
  unsupportedIn,
} from "./renders.ts";

const templatesProject = "Imported templates";

const answer = (message: string, response: unknown) => ({ success: true, message, response });

const names: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  429: "Too Many Requests",
};

type Detail = { readonly message: string; readonly path: readonly string[] };

/** An edit that its service would refuse, with the fields. */
class EditRefused extends Error {
  override readonly name = "EditRefused";

  constructor(readonly details: readonly Detail[]) {
    super("Validation error");
  }
}

const Edit = z.looseObject({ timeline: z.looseObject({}), output: z.looseObject({}) });
const Merge = z.array(z.looseObject({ find: z.string() })).optional();
const StoredTemplate = z.looseObject({ name: z.string().min(1).max(200), template: Edit });
const TemplateRender = z.looseObject({ id: z.string(), merge: Merge });

const TemplateWork = z.looseObject({
  id: z.string(),
  name: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  editorState: z.looseObject({ editTemplate: Edit }).optional(),
});

/** Parses a body. Throws EditRefused. */
function parsed<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(body);
  if (!error) return data as z.output<Schema>;
  throw new EditRefused(
    error.issues.map(({ path, message }) => ({
      message: `"${path.join(".")}" is invalid: ${message}`,
      path: path.map(String),
    })),
  );
}

/** A file of the caller's own account: it stays here. */
const isHosted = (edit: z.output<typeof Edit>, path: string): boolean => {
  const destinations = edit.output.destinations;
  const isOwn = (each: unknown) =>
    typeof each === "object" && each !== null && "provider" in each && each.provider === "shotstack";
  return path.startsWith("output.destinations") && Array.isArray(destinations) && destinations.every(isOwn);
};

function requireSupported(edit: z.output<typeof Edit>): void {
  const unsupported = unsupportedIn(edit, "shotstack", (path) => isHosted(edit, path));
  if (unsupported.length === 0) return;
  throw new EditRefused(
    unsupported.slice(0, 100).map(({ path, why }) => ({
      message: why === "Is not known here." ? `"${path}" is not allowed` : `"${path}" is not supported: ${why}`,
      path: path.split("."),
    })),
  );
}

const ownerOf = (c: Context<AppEnv>): string => c.var.caller.user.id;

const stateView = (c: Context<AppEnv>, state: RenderState) => ({
  id: state.id,
  owner: ownerOf(c),
  plan: "self-hosted",
  status: state.status,
  ...(state.error !== undefined && { error: state.error }),
  renderTime: state.renderMs,
  ...(state.url !== undefined && { url: state.url }),
  poster: state.posterUrl ?? null,
  thumbnail: null,
  created: new Date(state.createdAt).toISOString(),
  updated: new Date(state.updatedAt).toISOString(),
});

/** The edit API of Shotstack: renders and templates. Off by default. */
export function shotstackRoutes(services: Services, options: CompatibleOptions) {
  const { callRoute } = options;
  const render = async (c: Context<AppEnv>, edit: z.output<typeof Edit>) => {
    requireSupported(edit);
    const id = await startRender(c, services, options, { edit, type: "shotstack" });
    return c.json(answer("Created", { message: "Render Successfully Queued", id }), 201);
  };
  const worksOf = async (c: Context<AppEnv>) =>
    `/api/projects/${await projectNamed(c, callRoute, templatesProject)}/works`;
  const find = async (c: Context<AppEnv>, id: string) => {
    const work = await sendTo(c, callRoute, "GET", `${await worksOf(c)}/${encodeURIComponent(id)}`);
    const { data } = TemplateWork.required().safeParse(work);
    if (!data) throw new RouteFailed(404, { error: "Not Found" });
    return data;
  };
  return (
    new Hono<AppEnv>()
      .onError(answerError)
      .use(keyAsToken)
      // without its description: the API document describes the routes of the API only
      .use((c, next) => anyCredential(c, next))
      .post("/render", async (c) => render(c, parsed(Edit, await readJsonBody(c))))
      .get("/render/:id", async (c) => {
        const state = await renderState(c, services, options, c.req.param("id"));
        return c.json(answer("OK", stateView(c, state)), 200);
      })
      .post("/templates/render", async (c) => {
        const { id, merge = [] } = parsed(TemplateRender, await readJsonBody(c));
        const { editTemplate } = (await find(c, id)).editorState;
        const own = Merge.catch([]).parse(editTemplate.merge) ?? [];
        const given = new Set(merge.map((field) => field.find));
        return render(c, { ...editTemplate, merge: [...own.filter((field) => !given.has(field.find)), ...merge] });
      })
      .post("/templates", async (c) => {
        const { name, template: editTemplate } = parsed(StoredTemplate, await readJsonBody(c));
        const made = await sendTo(c, callRoute, "POST", await worksOf(c), { name, editorState: { editTemplate } });
        const { id } = z.looseObject({ id: z.string() }).parse(made);
        return c.json(answer("Created", { message: "Template Successfully Created", id }), 201);
      })
      .get("/templates", async (c) => {
        const list = z.array(TemplateWork).parse(await sendTo(c, callRoute, "GET", `${await worksOf(c)}?limit=1000`));
        const templates = list.map(({ id, name, createdAt, updatedAt }) => ({
          ...{ id, name },
          created: new Date(createdAt).toISOString(),
          updated: new Date(updatedAt).toISOString(),
        }));
        return c.json(answer("OK", { owner: ownerOf(c), templates }), 200);
      })
      .get("/templates/:id", async (c) => {
        const { id, name, editorState } = await find(c, c.req.param("id"));
        return c.json(answer("OK", { id, name, owner: ownerOf(c), template: editorState.editTemplate }), 200);
      })
      .put("/templates/:id", async (c) => {
        const { name, template: editTemplate } = parsed(StoredTemplate, await readJsonBody(c));
        const { id } = await find(c, c.req.param("id"));
        await sendTo(c, callRoute, "PUT", `${await worksOf(c)}/${id}`, { name, editorState: { editTemplate } });
        return c.json(answer("OK", { message: "Template Successfully Updated", id }), 200);
      })
      .delete("/templates/:id", async (c) => {
        const { id } = await find(c, c.req.param("id"));
        await sendTo(c, callRoute, "DELETE", `${await worksOf(c)}/${id}`);
        return c.body(null, 204);
      })
  );
}

const anyCredential = requireScopes();

/** Errors in the shape of that API. */
function answerError(error: Error, c: Context<AppEnv>): Response {
  if (error instanceof EditRefused) {
    const { details } = error;
    const response = { message: "Validation error", error: { isJoi: true, name: "ValidationError", details } };
    return c.json({ success: false, message: "Bad Request", response }, 400);
  }
  const status = error instanceof RouteFailed ? error.status : isDomainError(error) ? statusOf(error.code) : 500;
  if (status >= 500) c.var.logError(error);
  const message = names[status] ?? (status >= 500 ? "Internal Server Error" : "Bad Request");
  const response = status >= 500 ? "Something broke on our side." : error.message;
  return c.json({ success: false, message, response: { message: response } }, status as 400);
}
