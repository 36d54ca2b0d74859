import { type Context, Hono } from "hono";
import { z } from "zod";
import { creatomateView } from "../../domain/renders/views.ts";
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

const Tags = z.array(z.string().max(100)).max(100);
const Source = z.looseObject({ elements: z.array(z.unknown()) });

const Order = z.looseObject({
  source: z.looseObject({}).optional(),
  elements: z.array(z.unknown()).optional(),
  modifications: z.looseObject({}).optional(),
  metadata: z.string().optional(),
  webhook_url: z.string().max(2048).optional(),
});

const Body = Order.extend({ template_id: z.string().optional(), tags: Tags.optional() });

const NewTemplate = z.looseObject({ name: z.string().min(1).max(200), source: Source, tags: Tags.default([]) });
const StoredTemplate = z.looseObject({ source: Source, tags: Tags });

/** A request that the service would refuse. */
class SourceRefused extends Error {
  override readonly name = "SourceRefused";
}

/** Parses a body. Throws SourceRefused. */
function parsed<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(body);
  if (!error) return data as z.output<Schema>;
  const [{ path, message } = { path: [], message: "" }] = error.issues;
  throw new SourceRefused(`The property '${path.join(".")}' is invalid: ${message}`);
}

const isOfRequest = (path: string): boolean => path === "webhook_url";

function requireSupported(edit: object): void {
  const unsupported = unsupportedIn(edit, "creatomate", isOfRequest);
  const [first, ...more] = unsupported;
  if (!first) return;
  const others = more.length > 0 ? ` (and ${more.length} more)` : "";
  throw new SourceRefused(`The property '${first.path}' is not supported: ${first.why}${others}`);
}

/** Creatomate's API of renders and templates, in one of its versions. Off by default. */
export function creatomateRoutes(services: Services, options: CompatibleOptions, version: 1 | 2) {
  const templates = editTemplates(options.callRoute, StoredTemplate);
  type Template = Awaited<ReturnType<typeof templates.find>>;

  /** The templates that a request names; none for one with a source. */
  const named = async (c: Context<AppEnv>, { template_id: id, tags = [], source, elements }: z.output<typeof Body>) => {
    if (source ?? elements) return [];
    if (id === undefined && tags.length === 0) throw new SourceRefused("Send a source, or the template_id of one.");
    const list = await templates.list(c);
    const found = list.filter(({ id: own, name, edit }) =>
      id === undefined ? tags.every((tag) => edit.tags.includes(tag)) : own === id || name === id,
    );
    if (found.length > 0) return id === undefined ? found : found.slice(0, 1);
    throw new SourceRefused(id === undefined ? "No template has these tags." : `The template '${id}' does not exist.`);
  };

  const render = async (c: Context<AppEnv>, order: z.output<typeof Order>, template?: Template) => {
    const edit = template ? { ...order, source: template.edit.source } : order;
    requireSupported(edit);
    const { modifications, metadata, webhook_url: webhookUrl } = order;
    const repeated = {
      ...(template && { template_id: template.id, template_name: template.name, template_tags: template.edit.tags }),
      ...(modifications && { modifications }),
      ...(metadata !== undefined && { metadata }),
      ...(webhookUrl !== undefined && { webhook_url: webhookUrl }),
    };
    const begun = await startRender(c, services, options, { edit, api: "creatomate", repeated, webhookUrl });
    return creatomateView(begun, undefined, filesAt(c, services, options));
  };

  return (
    new Hono<AppEnv>()
      .onError(answerError)
      .use(keyAsToken)
      // without its description: the API document describes the routes of the API only
      .use((c, next) => anyCredential(c, next))
      .post("/renders", async (c) => {
        const body = parsed(Body, await readJsonBody(c));
        const { template_id: _, tags: __, ...rest } = body;
        const order = Order.parse(rest);
        const [first, ...more] = await named(c, body);
        const begun = [await render(c, order, first)];
        if (version === 2) return c.json(begun[0], 202);
        for (const template of more) begun.push(await render(c, order, template));
        return c.json(begun, 202);
      })
      .get("/renders/:id", async (c) => {
        const [found, job] = await findRender(c, services, c.req.param("id"));
        return c.json(creatomateView(found, job, filesAt(c, services, options)), 200);
      })
      .post("/templates", async (c) => {
        const { name, source, tags } = parsed(NewTemplate, await readJsonBody(c));
        const id = await templates.create(c, name, { source, tags });
        return c.json(templateView(await templates.find(c, id)), 201);
      })
      .get("/templates", async (c) => {
        const wanted = c.req.query("tags")?.split(",") ?? [];
        const list = await templates.list(c);
        const found = list.filter(({ edit }) => wanted.length === 0 || wanted.some((tag) => edit.tags.includes(tag)));
        return c.json(
          found.map((template) => {
            const { source: _, ...view } = templateView(template);
            return view;
          }),
          200,
        );
      })
      .get("/templates/:id", async (c) => c.json(templateView(await templates.find(c, c.req.param("id"))), 200))
      .patch("/templates/:id", async (c) => {
        const changes = parsed(NewTemplate.partial(), await readJsonBody(c));
        const { id, name, edit } = await templates.find(c, c.req.param("id"));
        const { source = edit.source, tags = edit.tags } = changes;
        await templates.update(c, id, changes.name ?? name, { source, tags });
        return c.json(templateView(await templates.find(c, id)), 200);
      })
      .delete("/templates/:id", async (c) => {
        await templates.remove(c, c.req.param("id"));
        return c.body(null, 204);
      })
  );
}

type TemplateWork = {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly edit: z.output<typeof StoredTemplate>;
};

const templateView = ({ id, name, createdAt, updatedAt, edit: { source, tags } }: TemplateWork) => ({
  ...{ id, name, tags, source },
  created_at: new Date(createdAt).toISOString(),
  updated_at: new Date(updatedAt).toISOString(),
});

const anyCredential = requireScopes();

/** Errors in the shape of that API. */
function answerError(error: Error, c: Context<AppEnv>): Response {
  if (error instanceof SourceRefused) return c.json({ message: error.message }, 400);
  const status = statusOfFailure(error);
  if (status >= 500) c.var.logError(error);
  const message = status >= 500 ? "Something broke on our side." : error.message;
  return c.json({ message }, status as 400);
}
