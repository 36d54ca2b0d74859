import type { Work } from "../api.ts";
import { api, type ExportRequest, unwrap } from "../api.ts";
import type { Ids } from "./bench.ts";
import { type Draft, withEditor } from "./draft.ts";

/**
 * Parts of the film's export that its editor does not contain: captions, voice, music, brand and formats. Empty without
 * a film, or once they were saved.
 */
export async function seedOf({ projectId, workId }: Ids, { editorState }: Work): Promise<(draft: Draft) => Draft> {
  const isOwn = ["captions", "voice", "audio", "audioUrl"].some((key) => key in (editorState ?? {}));
  if (isOwn || !editorState) return (draft) => draft;
  const { films } = await unwrap(
    api.projects[":projectId"].films.$get({ param: { projectId }, query: { limit: "100" } }),
  );
  const exportId = films.find((film) => film.workId === workId && film.status === "done")?.exportId;
  if (!exportId) return (draft) => draft;
  const value = await unwrap(api.exports[":exportId"]["film.json"].$get({ param: { exportId } })).catch(
    () => undefined,
  );
  if (!value) return (draft) => draft;
  // safe because an export had it
  const { captions, voice, audio, options } = value.request as ExportRequest;
  const { audioUrl, volume = 1, ...music } = audio ?? {};
  return (draft) =>
    withEditor(draft, {
      ...(captions && { captions }),
      ...(voice && { voice }),
      ...(audioUrl && { audioUrl, audioVolume: volume ?? 1, audio: music }),
      exportSettings: {
        ...draft.editor.exportSettings,
        ...(options?.brand && { brand: true }),
        ...(options?.targets && { targets: options.targets }),
        ...(options?.disclosure && { disclosure: options.disclosure }),
      },
    });
}
