import { type Context, Hono } from "hono";
import { z } from "zod";
import { shotstackView } from "../../domain/renders/views.ts";
import type { Services } from "../../services.ts";
import type { AppEnv } from "../app-env.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { readJsonBody } from "../request/json-body.ts";
import {
  type CompatibleOptions,
  filesAt,
  findRender,
  keyAsToken,
  startRender,
  statusOfFailure,
  unsupportedIn,
} from "./renders.ts";
import { editTemplates } from "./templates.ts";

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

const Edit = z.looseObject({
  timeline: z.looseObject({}),
  output: z.looseObject({}),
  callback: z.string().max(2048).optional(),
});
const Merge = z.array(z.looseObject({ find: z.string() })).optional();
const StoredTemplate = z.looseObject({ name: z.string().min(1).max(200), template: Edit });
const TemplateRender = z.looseObject({ id: z.string(), merge: Merge });

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
  const unsupported = unsupportedIn(edit, "shotstack", (path) => path === "callback" || isHosted(edit, path));
  if (unsupported.length === 0) return;
  throw new EditRefused(
    unsupported.slice(0, 100).map(({ path, why }) => ({
      message: why === "Is not known here." ? `"${path}" is not allowed` : `"${path}" is not supported: ${why}`,
      path: path.split("."),
    })),
  );
}

const ownerOf = (c: Context<AppEnv>): string => c.var.caller.user.id;

/** The edit API of Shotstack: renders and templates. Off by default. */
export function shotstackRoutes(services: Services, options: CompatibleOptions) {
  const { callRoute } = options;
  const render = async (c: Context<AppEnv>, edit: z.output<typeof Edit>) => {
    requireSupported(edit);
    const order = { edit, api: "shotstack", repeated: {}, webhookUrl: edit.callback } as const;
    const { id } = await startRender(c, services, options, order);
    return c.json(answer("Created", { message: "Render Successfully Queued", id }), 201);
  };
  const templates = editTemplates(callRoute, Edit);
  return (
    new Hono<AppEnv>()
      .onError(answerError)
      .use(keyAsToken)
      // without its description: the API document describes the routes of the API only
      .use((c, next) => anyCredential(c, next))
      .post("/render", async (c) => render(c, parsed(Edit, await readJsonBody(c))))
      .get("/render/:id", async (c) => {
        const [found, job] = await findRender(c, services, c.req.param("id"));
        return c.json(answer("OK", shotstackView(found, job, filesAt(c, services, options))), 200);
      })
      .post("/templates/render", async (c) => {
        const { id, merge = [] } = parsed(TemplateRender, await readJsonBody(c));
        const { edit } = await templates.find(c, id);
        const own = Merge.catch([]).parse(edit.merge) ?? [];
        const given = new Set(merge.map((field) => field.find));
        return render(c, { ...edit, merge: [...own.filter((field) => !given.has(field.find)), ...merge] });
      })
      .post("/templates", async (c) => {
        const { name, template } = parsed(StoredTemplate, await readJsonBody(c));
        const id = await templates.create(c, name, template);
        return c.json(answer("Created", { message: "Template Successfully Created", id }), 201);
      })
      .get("/templates", async (c) => {
        const list = (await templates.list(c)).map(({ id, name, createdAt, updatedAt }) => ({
          ...{ id, name },
          created: new Date(createdAt).toISOString(),
          updated: new Date(updatedAt).toISOString(),
        }));
        return c.json(answer("OK", { owner: ownerOf(c), templates: list }), 200);
      })
      .get("/templates/:id", async (c) => {
        const { id, name, edit } = await templates.find(c, c.req.param("id"));
        return c.json(answer("OK", { id, name, owner: ownerOf(c), template: edit }), 200);
      })
      .put("/templates/:id", async (c) => {
        const { name, template } = parsed(StoredTemplate, await readJsonBody(c));
        const id = c.req.param("id");
        await templates.update(c, id, name, template);
        return c.json(answer("OK", { message: "Template Successfully Updated", id }), 200);
      })
      .delete("/templates/:id", async (c) => {
        await templates.remove(c, c.req.param("id"));
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
  const status = statusOfFailure(error);
  if (status >= 500) c.var.logError(error);
  const message = names[status] ?? (status >= 500 ? "Internal Server Error" : "Bad Request");
  const response = status >= 500 ? "Something broke on our side." : error.message;
  return c.json({ success: false, message, response: { message: response } }, status as 400);
}
