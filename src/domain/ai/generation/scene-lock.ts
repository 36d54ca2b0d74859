import { DomainError, isDatabaseAway } from "../../../errors.ts";
import { type LeasePorts, type LeaseStore, outageProofLeaseMs, takeLease } from "../../../platform/leases.ts";
import { isGenerating, stopGenerating, withScene } from "../../works/scene-state.ts";
import type { Work, WorkStore } from "../../works/works.ts";

export type SceneTarget = { readonly work: Work; readonly sceneIndex: number };

/** The prefix of leases that only `endInterruptedScenes` may remove, after it has read their scenes. */
export const sceneLeasePrefix = "scene/";

const leaseName = ({ work, sceneIndex }: SceneTarget): string => `${sceneLeasePrefix}${work.id}/${sceneIndex}`;

const takeSceneLease = (ports: LeasePorts, target: SceneTarget) =>
  takeLease(ports, [leaseName(target)], { leaseMs: outageProofLeaseMs });

/** A separate lease, because a scene's image and its voice can be made at the same time. */
const takeVoiceLease = (ports: LeasePorts, { work, sceneIndex }: SceneTarget) =>
  takeLease(ports, [`voice/${work.id}/${sceneIndex}`], { leaseMs: outageProofLeaseMs });

/**
 * Rejects a concurrent request for the same part of a scene with request_in_progress, before it costs anything. If the
 * database is unavailable at the end, the lease expires, and `endInterruptedScenes` ends the scene.
 */
export async function withSceneLock<Result>(
  ports: LeasePorts,
  target: SceneTarget,
  run: () => Promise<Result>,
  what: "pictures" | "voice" = "pictures",
): Promise<Result> {
  const lease = await (what === "voice" ? takeVoiceLease : takeSceneLease)(ports, target);
  const { sceneIndex } = target;
  if (!lease) throw new DomainError("request_in_progress", { sceneIndex, retryAfterSeconds: 10 });
  try {
    const result = await run();
    await lease.release();
    return result;
  } catch (error) {
    if (isDatabaseAway(error)) lease.abandon();
    else await lease.release();
    throw error;
  }
}

type EndAbandonedPorts = LeasePorts & { readonly works: WorkStore };

type EndInterruptedPorts = { readonly works: WorkStore; readonly leases: LeaseStore };

/** Ends scenes whose process was killed during generation, when their leases have expired. Without any: one query. */
export async function endInterruptedScenes(ports: EndInterruptedPorts): Promise<void> {
  const expired = new Set(await ports.leases.listExpired(sceneLeasePrefix));
  if (expired.size === 0) return;
  const isExpired = (target: SceneTarget) => expired.has(leaseName(target));
  for (const work of await generatingWorks(ports, Date.now())) {
    for (const target of generatingScenes(work).filter(isExpired)) await endIfAbandoned(ports, target);
  }
  await ports.leases.dropExpired([...expired]);
}

/** Ends scenes that a crashed process left in a generating status, in works unchanged since `before`. */
export async function endAbandonedScenes(ports: EndAbandonedPorts, before: number): Promise<void> {
  for (const work of await generatingWorks(ports, before)) {
    for (const target of generatingScenes(work)) await endIfAbandoned(ports, target);
  }
}

/** Works with generating scenes, unchanged since `before`. */
async function generatingWorks({ works }: Pick<EndAbandonedPorts, "works">, before: number): Promise<readonly Work[]> {
  const found = await works.findGenerating(before);
  return (await Promise.all(found.map(({ projectId, id }) => works.find(projectId, id)))).flatMap((work) => work ?? []);
}

const generatingScenes = (work: Work): readonly SceneTarget[] =>
  work.generatedScenes.filter(isGenerating).map(({ sceneIndex }) => ({ work, sceneIndex }));

/** Leaves a scene with a lease alone: it is still being generated. */
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
