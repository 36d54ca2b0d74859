import { DomainError } from "../../../errors.ts";
import { type GeneratedScene, stopGenerating } from "../../works/scene-state.ts";
import type { Work, WorkStore } from "../../works/works.ts";

/** The scene of a work that media are generated for. */
export type SceneTarget = { readonly work: Work; readonly sceneIndex: number };

/** The scenes that this process is generating media for. */
const lockedScenes = new Set<string>();
const lockName = (workId: string, sceneIndex: number) => `${workId}/${sceneIndex}`;

/** Rejects a concurrent request for the same scene with request_in_progress, before it costs anything. */
export async function withSceneLock<Result>(
  { work, sceneIndex }: SceneTarget,
  run: () => Promise<Result>,
): Promise<Result> {
  const name = lockName(work.id, sceneIndex);
  if (lockedScenes.has(name)) throw new DomainError("request_in_progress", { sceneIndex, retryAfterSeconds: 10 });
  lockedScenes.add(name);
  try {
    return await run();
  } finally {
    lockedScenes.delete(name);
  }
}

/** Ends scenes that a crashed process left in a generating status, in works unchanged since `before`. */
export async function endAbandonedScenes({ works }: { readonly works: WorkStore }, before: number): Promise<void> {
  for (const { projectId, id } of await works.findGenerating(before)) {
    const isLocked = ({ sceneIndex }: GeneratedScene) => lockedScenes.has(lockName(id, sceneIndex));
    await works.change(projectId, id, (work) => ({
      ...work,
      generatedScenes: work.generatedScenes.map((scene) => (isLocked(scene) ? scene : stopGenerating(scene))),
    }));
  }
}
