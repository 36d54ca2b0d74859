/** The steps of a film, in the order of its story. */
export const stepKinds = [
  "read",
  "scenario",
  "image",
  "match",
  "video",
  "voice",
  "music",
  "captions",
  "compose",
  "check",
  "export",
] as const;
export type StepKind = (typeof stepKinds)[number];

export const stepStatuses = ["waiting", "running", "done", "error", "unknown", "skipped", "stale"] as const;
type StepStatus = (typeof stepStatuses)[number];

/** A film needs scenes, an arrangement and a video; any other step may fail. */
const neededKinds: ReadonlySet<StepKind> = new Set(["scenario", "compose", "export"]);

export const canBeLeftOut = (kind: StepKind): boolean => !neededKinds.has(kind);

/** The stops at which a film waits for an approval. */
export const stops = ["scenario", "images", "scenes"] as const;
export type Stop = (typeof stops)[number];

export type PlannedStep = {
  readonly id: string;
  readonly kind: StepKind;
  /** The index of the scene. */
  readonly scene?: number;
  readonly dependsOn: readonly string[];
};

/** The state of a step that the plan needs. */
export type StepState = PlannedStep & { readonly status: StepStatus };

/** The parts of the order that determine the plan. */
export type PlanWishes = {
  readonly matches: boolean;
  readonly videos: boolean;
  readonly voices: boolean;
  readonly music: boolean;
  readonly captions: boolean;
};

/** The stops that hold steps back until the caller has passed them. */
export type Gates = { readonly stopAt: readonly Stop[]; readonly approved: readonly Stop[] };

/** The steps of a film; without its scenes, only those before them are known. */
export function planSteps(
  { matches, videos, voices, music, captions }: PlanWishes,
  sceneCount?: number,
): readonly PlannedStep[] {
  const before: readonly PlannedStep[] = [
    { id: "read", kind: "read", dependsOn: [] },
    { id: "scenario", kind: "scenario", dependsOn: ["read"] },
  ];
  if (sceneCount === undefined) return before;
  const scenes = Array.from({ length: sceneCount }, (_, scene): readonly PlannedStep[] => {
    const image = `scene-${scene}-image`;
    const voice = `scene-${scene}-voice`;
    const match = `scene-${scene}-match`;
    // the scene is as long as its voice
    const beforeVideo = [image, ...(matches ? [match] : []), ...(voices ? [voice] : [])];
    return [
      { id: image, kind: "image", scene, dependsOn: ["scenario"] },
      ...(matches ? [{ id: match, kind: "match" as const, scene, dependsOn: [image] }] : []),
      ...(voices ? [{ id: voice, kind: "voice" as const, scene, dependsOn: ["scenario"] }] : []),
      ...(videos ? [{ id: `scene-${scene}-video`, kind: "video" as const, scene, dependsOn: beforeVideo }] : []),
    ];
  }).flat();
  const composed: readonly PlannedStep[] = music ? [{ id: "music", kind: "music", dependsOn: ["scenario"] }] : [];
  const made = ["scenario", ...scenes.map(({ id }) => id), ...composed.map(({ id }) => id)];
  const spoken: readonly PlannedStep[] = captions ? [{ id: "captions", kind: "captions", dependsOn: made }] : [];
  return [
    ...before,
    ...scenes,
    ...composed,
    ...spoken,
    { id: "compose", kind: "compose", dependsOn: [...made, ...spoken.map(({ id }) => id)] },
    { id: "check", kind: "check", dependsOn: ["compose"] },
    { id: "export", kind: "export", dependsOn: ["check"] },
  ];
}

/** Merges the plan with the state of its steps. A new step waits, and one that the plan no longer has is removed. */
export function mergePlan<Step extends StepState>(
  plan: readonly PlannedStep[],
  known: readonly Step[],
  create: (step: PlannedStep) => Step,
): readonly Step[] {
  const byId = new Map(known.map((step) => [step.id, step]));
  return plan.map((step) => {
    const found = byId.get(step.id);
    if (!found) return create(step);
    // another scenario may have more or fewer scenes
    const isSame = found.dependsOn.join() === step.dependsOn.join();
    return isSame ? found : { ...found, dependsOn: step.dependsOn };
  });
}

const hasEnded = ({ status }: StepState): boolean => status === "done" || status === "skipped";

const isOpen = ({ status }: StepState): boolean => status === "waiting" || status === "stale";

const kindsBefore: Record<Stop, readonly StepKind[]> = {
  scenario: ["read", "scenario"],
  images: ["read", "scenario", "image", "match"],
  scenes: ["read", "scenario", "image", "match", "video", "voice", "music"],
};

/** The first stop of the order before the step that is not passed. */
const stopBefore = ({ kind }: PlannedStep, { stopAt, approved }: Gates): Stop | undefined =>
  stops.find((stop) => stopAt.includes(stop) && !approved.includes(stop) && !kindsBefore[stop].includes(kind));

const isUnblocked = (step: StepState, byId: ReadonlyMap<string, StepState>): boolean =>
  step.dependsOn.every((id) => {
    const other = byId.get(id);
    return other !== undefined && hasEnded(other);
  });

const indexed = <Step extends StepState>(steps: readonly Step[]) => new Map(steps.map((step) => [step.id, step]));

/** The steps that can begin now, in the order of the plan. */
export function readySteps<Step extends StepState>(steps: readonly Step[], gates: Gates): readonly Step[] {
  const byId = indexed(steps);
  return steps.filter((step) => isOpen(step) && isUnblocked(step, byId) && stopBefore(step, gates) === undefined);
}

/** The result for a film without running or ready steps. */
type Rest =
  | { readonly state: "done" }
  | { readonly state: "approval"; readonly at: Stop }
  | { readonly state: "step"; readonly step: string }
  | { readonly state: "empty" };

export function restOf(steps: readonly StepState[], gates: Gates): Rest | undefined {
  const byId = indexed(steps);
  const images = steps.filter(({ kind }) => kind === "image");
  if (images.length > 0 && images.every(({ status }) => status === "skipped")) return { state: "empty" };
  if (readySteps(steps, gates).length > 0 || steps.some(({ status }) => status === "running")) return undefined;
  const failed = steps.find(({ status }) => status === "error" || status === "unknown");
  if (failed) return { state: "step", step: failed.id };
  const held = steps.find((step) => isOpen(step) && isUnblocked(step, byId));
  const at = held && stopBefore(held, gates);
  if (at) return { state: "approval", at };
  const open = steps.find((step) => !hasEnded(step));
  return open ? { state: "step", step: open.id } : { state: "done" };
}

/** All direct and indirect dependents of these steps. */
export function dependentsOf(steps: readonly PlannedStep[], ids: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const step of steps) if (step.dependsOn.some((id) => ids.includes(id) || found.has(id))) found.add(step.id);
  return found;
}

/** Marks these steps and their dependents as stale, if they had begun. A skipped step stays skipped. */
export function withStale<Step extends StepState>(steps: readonly Step[], ids: readonly string[]): readonly Step[] {
  const affected = dependentsOf(steps, ids);
  return steps.map((step) => {
    const isAffected = ids.includes(step.id) || affected.has(step.id);
    return isAffected && step.status !== "waiting" && step.status !== "skipped" ? { ...step, status: "stale" } : step;
  });
}

/** A step that became stale while it ran stays stale: its result belongs to an earlier input. */
export const endedStatus = ({ status }: StepState, ended: StepStatus): StepStatus =>
  status === "running" ? ended : status;

/** Leaves a step out; without an image, the whole scene. */
export function withSkipped<Step extends StepState>(steps: readonly Step[], id: string): readonly Step[] {
  const skipped = steps.find((step) => step.id === id);
  const isScene = skipped?.kind === "image";
  return steps.map((step) =>
    step.id === id || (isScene && step.scene === skipped.scene) ? { ...step, status: "skipped" } : step,
  );
}
