import { api, unwrap, type Work } from "../api.ts";
import type { Ids } from "./bench.ts";
import { type Draft, draftOf, savedEditor } from "./draft.ts";
import { seedOf } from "./film-seed.ts";
import { exportOf } from "./request.ts";

const route = api.projects[":projectId"].works[":workId"];

/** Stores the changes since `base` if the work still has this ETag. */
export function saveDraft(param: Ids, draft: Draft, base: Draft, etag: string) {
  const scenes = draft.scenes === base.scenes ? {} : { scenes: draft.scenes };
  const editor = draft.editor === base.editor ? {} : { editorState: savedEditor(draft, base) };
  // safe because it was loaded this way, and this page changes known fields only
  return route.$put({ param, json: { ...scenes, ...editor } as never }, { headers: { "if-match": etag } });
}

async function readFilm(param: Ids) {
  const answer = await route.$get({ param });
  const work: Work = await unwrap(answer);
  return { work, base: draftOf(work), etag: answer.headers.get("etag") ?? "" };
}

/** Edits a film that is not open. */
export async function editFilm(ids: Ids, edit: (draft: Draft) => Draft): Promise<void> {
  const { base, etag } = await readFilm(ids);
  await unwrap(saveDraft(ids, edit(base), base, etag));
}

/** Exports a film as its editor would, with an edit that is saved before. */
export async function exportFilm({ projectId, workId }: Ids, edit?: (draft: Draft) => Draft) {
  const ids = { projectId, workId };
  const { work, base, etag } = await readFilm(ids);
  const seeded = (await seedOf(ids, work))(base);
  const draft = edit ? edit(seeded) : seeded;
  const saved: Work = edit ? await unwrap(saveDraft(ids, draft, base, etag)) : work;
  return { work: saved, job: await unwrap(api.exports.$post({ json: exportOf(draft, ids) })) };
}
