import { unwrap } from "../index.ts";
import { type Context, signedInClient } from "./context.ts";
import { UsageError } from "./exit-codes.ts";
import { readObject } from "./request.ts";

const types = ["shotstack", "creatomate", "editly", "otio"] as const;

type ImportOptions = { readonly project: string; readonly type?: string };

/** Makes a work of an edit of another service and prints its id; what is shown differently or not goes to stderr. */
export async function importEdit(context: Context, path: string, options: ImportOptions): Promise<void> {
  const type = types.find((name) => name === options.type);
  if (options.type !== undefined && !type) throw new UsageError(`--type is ${types.join(", ")}.`);
  // safe because the service validates it
  const json = (await readObject(path)) as Record<string, never>;
  const { api } = await signedInClient(context);
  const made = await unwrap(
    api.projects[":projectId"].works["from-edit"].$post(
      { param: { projectId: options.project }, query: type ? { type } : {}, json },
      { headers: { prefer: "wait" }, init: { signal: context.signal } },
    ),
  );
  const { changed, ignored } = made.report;
  for (const { path: property, why } of changed) context.output.note(`changed ${property}: ${why}`);
  for (const { path: property, why } of ignored) context.output.note(`ignored ${property}: ${why}`);
  context.output.result(made, () => made.id);
}
