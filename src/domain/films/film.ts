import type { Caller } from "../accounts/caller.ts";
import type { Scope } from "../accounts/scopes.ts";
import type { User } from "../accounts/users.ts";
import type { Category, ModelChoice } from "../ai/models.ts";
import type { CaptionsRequest } from "../captions/schema.ts";
import type { AcceptedDestination } from "../destinations/accept.ts";
import type { ExportRequest } from "../exports/request/schema.ts";
import type { Warning } from "../exports/request/warnings.ts";
import type { Webhook } from "../exports/webhooks/webhooks.ts";
import type { Checkpoint } from "../idempotency/checkpoints.ts";
import type { BudgetScope } from "../ledger/budgets.ts";
import type { Micros } from "../ledger/money.ts";
import type { Project, StyleGuide } from "../projects/projects.ts";
import type { Page, PageRequest } from "../shared/paging.ts";
import type { AspectRatio } from "../shared/schemas.ts";
import { requireFound } from "../shared/versioned.ts";
import type { ScenarioScene, Work } from "../works/works.ts";
import type { FilmPalette } from "./look/palette.ts";
import type { Gates, PlanWishes, StepKind, StepState, Stop } from "./plan.ts";
import type { FilmResult, ResultStore } from "./reuse.ts";

export const filmStatuses = ["queued", "running", "waiting", "done", "error", "cancelled"] as const;
type FilmStatus = (typeof filmStatuses)[number];

export const waits = ["approval", "budget", "key", "provider", "step", "storage"] as const;
export type Wait = (typeof waits)[number];

/** Polled: nothing signals their recovery. */
export const polledFor: readonly Wait[] = ["provider", "storage"];
export const isPolled = (wait: Wait | undefined): boolean => wait !== undefined && polledFor.includes(wait);

/** The categories whose models make a film. */
export const filmCategories = [
  "llm",
  "image",
  "video",
  "speech",
  "vision",
  "music",
] as const satisfies readonly Category[];
export type FilmCategory = (typeof filmCategories)[number];

const categories: { readonly [Kind in StepKind]?: FilmCategory } = {
  scenario: "llm",
  image: "image",
  match: "vision",
  video: "video",
  voice: "speech",
  music: "music",
};

export const categoryOf = (kind: StepKind): FilmCategory | undefined => categories[kind];

export type FilmModel = Pick<ModelChoice, "provider" | "modelId">;

/** The length of a film whose order names none. */
export const defaultFilmSeconds = 20;

/** A template of the project or of the library. */
export type FilmTemplate = { readonly values: { readonly [key: string]: string } } & (
  | { readonly templateId: string; readonly library?: undefined }
  | { readonly library: string; readonly templateId?: undefined }
);

/** Results of steps that later steps use. */
export type FilmFindings = {
  /** From the brief's page. */
  readonly styleGuide?: StyleGuide;
  readonly logo?: { readonly assetId: string; readonly ratio: number };
  /** The asset that the step `music` made. */
  readonly musicAssetId?: string;
  /** The bed that was chosen. */
  readonly bed?: string;
  /** The scenes' lengths in the scenario; those of the work follow their voices. */
  readonly sceneSeconds?: readonly number[];
  /** Differences between the product and its pictures, by scene index, as a model describes them. */
  readonly differences?: { readonly [scene: string]: readonly string[] };
};

/** `amount` is in millionths. */
export type BudgetWait = { readonly scope: BudgetScope; readonly amount: number };

/** The receiver of a film's events; `toldAt` is the number of done steps at its last wait for a provider. */
export type FilmWebhook = Webhook & { readonly toldAt?: number };

/** The inputs of a film, without keys. */
export type FilmOrder = {
  readonly brief: {
    readonly text?: string;
    readonly url?: string;
    readonly assetIds?: readonly string[];
    /** A video whose rhythm the film follows. */
    readonly reference?: { readonly assetId: string };
  };
  /** True if models that take pictures of the product receive them. */
  readonly references?: boolean;
  readonly language?: string;
  readonly seconds?: number;
  readonly scenes?: number;
  /** The scenes as the caller wants them: no model writes others. Their sum and number are `seconds` and `scenes`. */
  readonly scenario?: readonly ScenarioScene[];
  readonly resolution?: { readonly width: number; readonly height: number };
  readonly targets: readonly AspectRatio[];
  /** A model makes nothing of an absent category. */
  readonly models: { readonly [Name in FilmCategory]?: FilmModel };
  readonly voice?: { readonly voice?: string; readonly style?: string };
  readonly captions?: CaptionsRequest;
  /** The URL of the music under the film. */
  readonly audioUrl?: string;
  readonly musicPrompt?: string;
  /** The bed under the film, or `auto`: the one that fits its look and its brief. Absent beside other music. */
  readonly bed?: string;
  /** False: without effects; true: also without music. By default with music. */
  readonly effects?: boolean;
  /**
   * Scenes end on beats of the music; `bpm` replaces its measured tempo. By default, those of a bed, of an asset and of
   * generated music; `beat` moves the end of the film too.
   */
  readonly snap?: "beat" | false;
  readonly bpm?: number;
  readonly template?: FilmTemplate;
  readonly found?: FilmFindings;
  /** The name of a look; absent if the brief chooses it. */
  readonly look?: string;
  /** The colors of its scenes, before those of the brand and the look. */
  readonly palette?: FilmPalette;
  /** For a film of a table: one product has the same style in each language. */
  readonly lookSeed?: string;
  /** See the request for an export. */
  readonly gate?: Pick<ExportRequest, "gate" | "platforms" | "rules">;
  readonly stopAt: readonly Stop[];
  /** Ignores the results of earlier films. */
  readonly fresh?: boolean;
  readonly allowUnpriced: boolean;
  readonly onUnknown: "wait" | "retry";
};

/** The bed of an order that leaves the choice to the look and the brief. */
export const autoBed = "auto";

/** By default, effects come with music. */
export const hasEffects = ({ effects, bed, audioUrl, musicPrompt }: FilmOrder): boolean =>
  effects ?? (bed ?? audioUrl ?? musicPrompt) !== undefined;

export type StepAttempt = {
  readonly state: "running" | "done" | "error" | "unknown";
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly provider?: string;
  readonly model?: string;
  /** In millionths, as text. */
  readonly cost?: string;
  readonly error?: { readonly code: string; readonly message: string };
};

export type FilmStep = StepState & {
  readonly attempts: readonly StepAttempt[];
  readonly checkpoints: { readonly [name: string]: Checkpoint };
  /** The changes of a retry. */
  readonly wish?: { readonly model?: string; readonly seed?: number };
  /** The caller's own file, in place of a generated one. */
  readonly assetId?: string;
  /** Remakes the file even if its inputs have not changed. */
  readonly force?: boolean;
};

export type Film = {
  readonly id: string;
  readonly userId: string;
  readonly projectId: string;
  readonly workId: string;
  readonly batchId?: string;
  readonly name: string;
  /** The scopes of the credential that ordered it. */
  readonly scopes: readonly Scope[];
  readonly order: FilmOrder;
  readonly maxSpend?: Micros;
  readonly status: FilmStatus;
  readonly waitingFor?: Wait;
  readonly waitingReason?: string;
  readonly waitingAt?: Stop;
  /** The budget that it waits for, and the highest cost of its next call. Absent if a price is missing. */
  readonly budgetWait?: BudgetWait;
  readonly approved: readonly Stop[];
  readonly exportId?: string;
  readonly warnings: readonly Warning[];
  readonly webhook?: FilmWebhook;
  readonly destinations?: readonly AcceptedDestination[];
  readonly failure?: { readonly code: string; readonly message: string };
  readonly steps: readonly FilmStep[];
  /** Incremented by each worker that advances it. */
  readonly attempt: number;
  /** The span of its order as a W3C header, the parent of its steps' spans in every process. Absent without tracing. */
  readonly traceparent?: string;
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt?: number;
};

/** Determines, besides the work, the words and pictures of a film. */
export type FilmPlan = Pick<Film, "order" | "steps">;

/** A waiting film's keys are erased after this time. */
export const keysKeptMs = 7 * 24 * 60 * 60 * 1000;

/** A waiting film ends after this time. */
export const maxWaitMs = 30 * 24 * 60 * 60 * 1000;

export type SealedKeys = { readonly [Name in FilmCategory]?: string };

/** The resources of a step at its beginning. */
export type FilmTarget = {
  readonly user: User;
  readonly project: Project;
  readonly work: Work;
  readonly keys: SealedKeys;
};

export type FilmOwner = Pick<Film, "projectId"> | Pick<Film, "userId">;

/** The video of a film for a target. */
export type FilmVideo = {
  readonly exportId: string;
  readonly target: string;
  readonly sha256: string;
  readonly sizeBytes: number;
};

type FilmKey = Pick<Film, "id" | "projectId">;

/** The films of a project, including running ones, or films that have waited since before a time. */
export type HeldFilms = { readonly projectId: string } | { readonly before: number };

export type ChangedCheckpoints = { readonly [name: string]: Checkpoint | undefined };

export type FilmStore = ResultStore & {
  /**
   * Adds a film with its work, which counts towards no limit of works, and enqueues its first job, in one transaction.
   * False if the project no longer exists. Throws limit_reached.
   */
  add(film: Film, keys: SealedKeys, work?: Work): Promise<boolean>;
  find(projectId: string, filmId: string): Promise<Film | undefined>;
  /** Lists the newest first. */
  list(projectId: string, page: PageRequest): Promise<Page<Film>>;
  /** Begins a new attempt. Undefined if the film has ended, or the film or its project was removed. */
  acquire(filmId: string): Promise<Film | undefined>;
  /** The film of an attempt; undefined if another one has begun, or the film has ended or was removed. */
  load(filmId: string, attempt: number): Promise<Film | undefined>;
  /** Reads the resources of a step in one statement. Undefined if the account, the project or the work was removed. */
  findTarget(film: Pick<Film, "id" | "userId" | "projectId" | "workId">): Promise<FilmTarget | undefined>;
  /** The revision that `load` would return: one statement for all films requested at about the same time. */
  loadRevision(filmId: string, attempt: number): Promise<number | undefined>;
  /**
   * Runs `edit` on the stored film under a row lock. With `attempt`, nothing changes if another attempt has begun.
   * `wake` enqueues a job for it; later films find `results`. The keys are erased if the film has ended. Undefined if
   * the film does not exist. With `seen`, the last read film, it takes one statement unless the film has changed since;
   * `edit` may run twice. With `countsSpend`, `edit` gets the amount that counts against the film's budget: no call is
   * reserved before the transaction ends. With `editWork`, `edit` also gets the film's locked work, and both changes
   * are stored, or none if one throws.
   */
  change(
    film: FilmKey & { readonly attempt?: number },
    edit: (found: Film, committed: Micros, work: Work | undefined) => Film,
    options?: {
      readonly editWork?: ((work: Work) => Work) | undefined;
      readonly wake?: boolean;
      readonly countsSpend?: boolean;
      readonly keys?: SealedKeys;
      readonly results?: readonly FilmResult[];
      readonly seen?: Film | undefined;
    },
  ): Promise<Film | undefined>;
  /** Stores the named checkpoints and removes undefined ones, in one statement. False if another attempt has begun. */
  saveCheckpoints(film: Pick<Film, "id" | "attempt">, stepId: string, changed: ChangedCheckpoints): Promise<boolean>;
  keys(filmId: string): Promise<SealedKeys>;
  /** Unfinished films of a project or a user with a key for videos: providers may be working for them. */
  listWithVideoKey(owner: FilmOwner): Promise<readonly Film[]>;
  /** Lists films that wait for a budget. */
  listUnderBudget(of: HeldFilms): Promise<readonly FilmKey[]>;
  /** Erases the keys of some films that have waited since before this time; they then wait for keys. */
  expireKeys(before: number): Promise<number>;
  /** Ends some films that have waited since before this time, and erases their keys. */
  endWaiting(before: number): Promise<number>;
  /** Gives films of tables with the earlier export these videos of a later one. */
  renameVideos(exportId: string, videos: readonly FilmVideo[]): Promise<void>;
  /** Removes a film. Its calls stay in the ledger, without its name. */
  remove(film: FilmKey): Promise<boolean>;
};

export const filmOutcomes: readonly FilmStatus[] = ["done", "error", "cancelled"];

export const hasEnded = ({ status }: Pick<Film, "status">): boolean => filmOutcomes.includes(status);

/** A step that only a retry makes again. */
export const isBroken = ({ status }: Pick<FilmStep, "status">): boolean => status === "error" || status === "unknown";

export const requireFilm = async (films: FilmStore, projectId: string, filmId: string): Promise<Film> =>
  requireFound(await films.find(projectId, filmId));

export const gatesOf = ({ order, approved }: Pick<Film, "order" | "approved">): Gates => ({
  stopAt: order.stopAt,
  approved,
});

export const wishesOf = ({ models, captions, brief, musicPrompt }: FilmOrder): PlanWishes => ({
  matches: models.vision !== undefined && (brief.assetIds?.length ?? 0) > 0,
  videos: models.video !== undefined,
  voices: models.speech !== undefined,
  music: musicPrompt !== undefined,
  captions: captions !== undefined,
});

export function withoutWait({ waitingFor: _, waitingReason: __, waitingAt: ___, ...film }: Film): Film {
  const { budgetWait: ____, ...others } = film;
  return others;
}

export const resumed = (film: Film): Film => ({ ...withoutWait(film), status: "queued" });

/** Adds findings to those of concurrent steps. */
export const withFindings = (known: FilmFindings | undefined, found: FilmFindings): FilmFindings => ({
  ...known,
  ...found,
  ...(found.differences && { differences: { ...known?.differences, ...found.differences } }),
});

export const callerOf = (user: Caller["user"], { scopes }: Film): Caller => ({ user, via: "login", scopes });
