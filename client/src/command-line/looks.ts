import { readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { downloadZip } from "client-zip";
import { unwrap } from "../index.ts";
import { type Context, signedInClient } from "./context.ts";
import { UsageError } from "./exit-codes.ts";
import { projectForFilms } from "./films.ts";

type PreviewOptions = { readonly output: string; readonly project?: string; readonly format?: string };
type Format = "9:16" | "1:1" | "16:9" | "4:5";

const textFile = /\.(?:html|css|json)$/;

/** The folder of a look as a zip. */
async function zipOf(folder: string): Promise<File> {
  const names = (await readdir(folder)).filter((name) => textFile.test(name));
  if (!names.includes("look.json")) throw new UsageError(`${folder} has no look.json.`);
  const entries = await Promise.all(names.map(async (name) => ({ name, input: await readFile(join(folder, name)) })));
  return new File([await downloadZip(entries).blob()], `${basename(resolve(folder))}.zip`, { type: "application/zip" });
}

/** Draws each layout of the look in a folder as one picture. */
export async function previewLook(context: Context, folder: string, options: PreviewOptions): Promise<void> {
  const file = await zipOf(folder);
  const client = await signedInClient(context);
  const { project, format = "9:16", output } = options;
  const projectId = project ?? (await projectForFilms(client));
  // safe because the service refuses other formats
  const query = { format: format as Format };
  const route = client.api.projects[":projectId"].looks.preview;
  const init = { signal: context.signal };
  const response = await unwrap(route.$post({ param: { projectId }, form: { file }, query }, { init }));
  const picture = new Uint8Array(await response.arrayBuffer());
  await writeFile(output, picture);
  context.output.result({ path: output, bytes: picture.length }, () => output);
}

/** Adds the look in a folder to a project, or replaces it, and prints its name. */
export async function uploadLook(
  context: Context,
  folder: string,
  { project: projectId, name }: { readonly project: string; readonly name?: string },
): Promise<void> {
  const file = await zipOf(folder);
  const { api } = await signedInClient(context);
  const form = { file, ...(name !== undefined && { name }) };
  const look = await unwrap(api.projects[":projectId"].looks.$post({ param: { projectId }, form }));
  context.output.result(look, () => look.name);
}
