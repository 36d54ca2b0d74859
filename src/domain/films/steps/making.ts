import type { Caller } from "../../accounts/caller.ts";
import type { analyzeVideo } from "../../ai/analysis/analyze.ts";
import type { matchProduct } from "../../ai/analysis/match-product.ts";
import type { GenerateScenePorts } from "../../ai/generation/generate-scene.ts";
import type { ModelChoice, Models } from "../../ai/models.ts";
import type { generateMusic } from "../../ai/music/generate-music.ts";
import type { ProviderCall } from "../../ai/provider-calls.ts";
import type { writeWorkScenario } from "../../ai/scenario/scenario.ts";
import type { generateSceneVoices } from "../../ai/speech/scene-voices.ts";
import type { extractWithPage } from "../../ai/style-guide/style-guide.ts";
import type { DeliveryStore } from "../../destinations/deliveries.ts";
import type { makeCaptions } from "../../exports/lifecycle/caption-files.ts";
import type { FollowExportPorts } from "../../exports/lifecycle/jobs.ts";
import type { RemoveExportPorts, RequestExportPorts } from "../../exports/lifecycle/request.ts";
import type { validateExport } from "../../exports/request/validation/validate.ts";
import type { Checkpoints } from "../../idempotency/checkpoints.ts";
import type { LookLibrary } from "../../looks/looks.ts";
import type { Designs } from "../../templates/library/design.ts";
import type { TemplateStore } from "../../templates/templates.ts";
import type { WorkStore } from "../../works/works.ts";
import type { Film, FilmCategory, FilmFindings, FilmStep } from "../film.ts";
import type { FilmResult } from "../reuse.ts";
import type { SubjectLibrary } from "../subject/library.ts";
import type { BeatPorts } from "./beats.ts";

type PortsOf<Use extends (ports: never, ...rest: never[]) => unknown> = Parameters<Use>[0];

export type MakePorts = GenerateScenePorts &
  PortsOf<typeof writeWorkScenario> &
  PortsOf<typeof generateSceneVoices> &
  PortsOf<typeof extractWithPage> &
  PortsOf<typeof validateExport> &
  PortsOf<typeof analyzeVideo> &
  PortsOf<typeof matchProduct> &
  PortsOf<typeof generateMusic> &
  PortsOf<typeof makeCaptions> &
  RequestExportPorts &
  RemoveExportPorts &
  FollowExportPorts &
  BeatPorts & {
    readonly looks: LookLibrary;
    readonly subjects: SubjectLibrary;
    readonly deliveries: Pick<DeliveryStore, "queue">;
    readonly models: Models;
    readonly works: WorkStore;
    readonly templates: TemplateStore;
    readonly templateDesigns: Designs;
  };

export type Making = {
  readonly film: Film;
  readonly step: FilmStep;
  readonly caller: Caller;
  readonly call: ProviderCall;
  readonly checkpoints: Checkpoints;
  /** The choice of a category with its key; undefined if a model makes nothing of it. */
  choiceOf(category: FilmCategory): ModelChoice | undefined;
};

/** The changes of a step to its film. */
export type Made = Partial<Pick<Film, "exportId" | "warnings">> & {
  readonly sceneCount?: number;
  /** Added to the findings of earlier steps. */
  readonly found?: FilmFindings;
  /** Reused by later films. */
  readonly results?: readonly FilmResult[];
};
