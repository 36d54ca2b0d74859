import { DomainError } from "../../../errors.ts";
import { type LeasePorts, takeLease } from "../../shared/leases.ts";
import { isGenerating, stopGenerating, withScene } from "../../works/scene-state.ts";
import type { Work, WorkStore } from "../../works/works.ts";

/** The scene of a work that media are generated for. */
export type SceneTarget = { readonly work: Work; readonly sceneIndex: number };

const takeSceneLease = (ports: LeasePorts, { work, sceneIndex }: SceneTarget) =>
  takeLease(ports, [`scene/${work.id}/${sceneIndex}`]);

/** Rejects a concurrent request for the same scene with request_in_progress, before it costs anything. */
export async function withSceneLock<Result>(
  ports: LeasePorts,
  target: SceneTarget,
  run: () => Promise<Result>,
): Promise<Result> {
  const lease = await takeSceneLease(ports, target);
  const { sceneIndex } = target;
  if (!lease) throw new DomainError("request_in_progress", { sceneIndex, retryAfterSeconds: 10 });
  try {
    return await run();
  } finally {
    await lease.release();
  }
}

type EndAbandonedPorts = LeasePorts & { readonly works: WorkStore };

/** Ends scenes that a crashed process left in a generating status, in works unchanged since `before`. */
export async function endAbandonedScenes(ports: EndAbandonedPorts, before: number): Promise<void> {
  for (const { projectId, id } of await ports.works.findGenerating(before)) {
    const work = await ports.works.find(projectId, id);
    const scenes = work?.generatedScenes.filter(isGenerating) ?? [];
    for (const { sceneIndex } of scenes) await endIfAbandoned(ports, { work: work!, sceneIndex });
  }
}

/** A scene that is being generated has a lease. */
async function endIfAbandoned(ports: EndAbandonedPorts, target: SceneTarget): Promise<void> {
  const { work, sceneIndex } = target;
  const lease = await takeSceneLease(ports, target);
  if (!lease) return;
  const end = (found: Work): Work => ({
    ...found,
    generatedScenes: withScene(found.generatedScenes, sceneIndex, stopGenerating),
  });
  await ports.works.change(work.projectId, work.id, end).finally(lease.release);
}
