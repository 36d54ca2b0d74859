import { unwrap } from "../index.ts";
import { type Context, signedInClient } from "./context.ts";
import { differencesOf, type FilmValue, inWords, readFilmValue } from "./diff.ts";
import { finishExport, startExport } from "./exports.ts";
import type { ExportBody, RequestOptions } from "./request.ts";

/** The rendered video differs from the one in film.json. */
class OtherFilmError extends Error {
  override readonly name = "OtherFilmError";
}

type RebuildOptions = RequestOptions & { readonly output: string };

/** Exports a video again and downloads it. Throws OtherFilmError with the differences if its bytes differ. */
export async function rebuild(
  context: Context,
  path: string,
  { output, project, work }: RebuildOptions,
): Promise<void> {
  const film = await readFilmValue(path);
  const client = await signedInClient(context);
  const json = {
    ...film.request,
    ...(project !== undefined && { projectId: project }),
    ...(work !== undefined && { workId: work }),
    // safe because the service validates it
  } as ExportBody;
  const { id: exportId } = await startExport(client, json);
  await finishExport(context, client, exportId, output);
  const param = { exportId };
  // safe because both have the same format
  const made = (await unwrap(client.api.exports[":exportId"]["film.json"].$get({ param }))) as unknown as FilmValue;
  if (made.id !== film.id) throw new OtherFilmError(differenceOf(film, made));
  context.output.note("The film is the same, byte by byte but for its signature.");
}

function differenceOf(film: FilmValue, made: FilmValue): string {
  const differences = differencesOf(film, made).map(inWords);
  return ["The film is another one:", ...(differences.length > 0 ? differences : ["its words, by the work"])].join(
    "\n  ",
  );
}
