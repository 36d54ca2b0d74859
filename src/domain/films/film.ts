import type { Caller } from "../accounts/caller.ts";
import type { Scope } from "../accounts/scopes.ts";
import type { User } from "../accounts/users.ts";
import type { Category, ModelChoice } from "../ai/models.ts";
import type { CaptionsRequest } from "../captions/schema.ts";
import type { AspectRatio, ExportRequest } from "../exports/request/schema.ts";
import type { Warning } from "../exports/request/warnings.ts";
import type { Webhook } from "../exports/webhooks/webhooks.ts";
import type { Checkpoint } from "../idempotency/checkpoints.ts";
import type { BudgetScope } from "../ledger/budgets.ts";
import type { Micros } from "../ledger/money.ts";
import type { Project, StyleGuide } from "../projects/projects.ts";
import type { Page, PageRequest } from "../shared/paging.ts";
import { requireFound } from "../shared/versioned.ts";
import type { Work } from "../works/works.ts";
import type { Gates, PlanWishes, StepKind, StepState, Stop } from "./plan.ts";
import type { FilmResult, ResultStore } from "./reuse.ts";

export const filmStatuses = ["queued", "running", "waiting", "done", "error", "cancelled"] as const;
type FilmStatus = (typeof filmStatuses)[number];

export const waits = ["approval", "budget", "key", "provider", "step", "storage"] as const;
export type Wait = (typeof waits)[number];

/** Nobody tells the film that these are there again: it looks again by itself. */
export const looksAgainFor: readonly Wait[] = ["provider", "storage"];
export const looksAgain = (wait: Wait | undefined): boolean => wait !== undefined && looksAgainFor.includes(wait);

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

/** Of an order that names no length. */
export const defaultFilmSeconds = 20;

/** A template of the project, or one of the library. */
export type FilmTemplate = { readonly values: { readonly [key: string]: string } } & (
  | { readonly templateId: string; readonly library?: undefined }
  | { readonly library: string; readonly templateId?: undefined }
);

/** What steps found or made that later ones use. */
export type FilmFindings = {
  /** Of the brief's page. */
  readonly styleGuide?: StyleGuide;
  readonly logo?: { readonly assetId: string; readonly ratio: number };
  /** The asset that the step `music` made. */
  readonly musicAssetId?: string;
  /** The lengths that the scenario gives its scenes: those of the work follow their voices. */
  readonly sceneSeconds?: readonly number[];
  /** What a model says of the product in the pictures of scenes, by their places. */
  readonly differences?: { readonly [scene: string]: readonly string[] };
};

/** `amount` is in millionths. */
export type BudgetWait = { readonly scope: BudgetScope; readonly amount: number };

/** The receiver of a film's events; `toldAt` is the number of steps that were done at its last wait for a provider. */
export type FilmWebhook = Webhook & { readonly toldAt?: number };

/** What a film is made from. Keys are not in it. */
export type FilmOrder = {
  readonly brief: {
    readonly text?: string;
    readonly url?: string;
    readonly assetIds?: readonly string[];
    /** A video whose rhythm is followed. */
    readonly reference?: { readonly assetId: string };
  };
  /** Whether pictures of the product are sent to models that take them. */
  readonly references?: boolean;
  readonly language?: string;
  readonly seconds?: number;
  readonly scenes?: number;
  readonly resolution?: { readonly width: number; readonly height: number };
  readonly targets: readonly AspectRatio[];
  /** Absent: nothing of the category is made by a model. */
  readonly models: { readonly [Name in FilmCategory]?: FilmModel };
  readonly voice?: { readonly voice?: string; readonly style?: string };
  readonly captions?: CaptionsRequest;
  /** Of the music under the film. */
  readonly audioUrl?: string;
  /** Of music that a model makes. */
  readonly musicPrompt?: string;
  readonly template?: FilmTemplate;
  readonly found?: FilmFindings;
  /** Of a film of a table: one product looks the same in each of its languages. */
  readonly lookSeed?: string;
  /** As in a request for an export. */
  readonly gate?: Pick<ExportRequest, "gate" | "platforms" | "rules">;
  readonly stopAt: readonly Stop[];
  /** Uses no result of an earlier film. */
  readonly fresh?: boolean;
  readonly allowUnpriced: boolean;
  readonly onUnknown: "wait" | "retry";
};

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
  /** What a retry changes. */
  readonly wish?: { readonly model?: string; readonly seed?: number };
  /** The caller's own file, in the place of a generated one. */
  readonly assetId?: string;
  /** Makes the file again, although its inputs have not changed. */
  readonly force?: boolean;
};

export type Film = {
  readonly id: string;
  readonly userId: string;
  readonly projectId: string;
  readonly workId: string;
  readonly batchId?: string;
  readonly name: string;
  /** Of the credential that ordered it. */
  readonly scopes: readonly Scope[];
  readonly order: FilmOrder;
  readonly maxSpend?: Micros;
  readonly status: FilmStatus;
  readonly waitingFor?: Wait;
  readonly waitingReason?: string;
  readonly waitingAt?: Stop;
  /** Of a wait for a budget: which one, and what its next call can cost. Absent where a price is missing. */
  readonly budgetWait?: BudgetWait;
  readonly approved: readonly Stop[];
  readonly exportId?: string;
  readonly warnings: readonly Warning[];
  readonly webhook?: FilmWebhook;
  readonly failure?: { readonly code: string; readonly message: string };
  readonly steps: readonly FilmStep[];
  /** Incremented by each worker that advances it. */
  readonly attempt: number;
  /** The span of its order, as the W3C header: its steps are below it, in every process. Absent without tracing. */
  readonly traceparent?: string;
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt?: number;
};

/** What the words and pictures of a film follow from, besides its work. */
export type FilmPlan = Pick<Film, "order" | "steps">;

/** Keys are erased once a film has waited for so long. */
export const keysKeptMs = 7 * 24 * 60 * 60 * 1000;

/** A film that has waited for so long ends. */
export const maxWaitMs = 30 * 24 * 60 * 60 * 1000;

export type SealedKeys = { readonly [Name in FilmCategory]?: string };

/** What a step works with, as it is when the step begins. */
export type FilmTarget = {
  readonly user: User;
  readonly project: Project;
  readonly work: Work;
  readonly keys: SealedKeys;
};

export type FilmOwner = Pick<Film, "projectId"> | Pick<Film, "userId">;

/** A video of a film, by the target that it is for. */
export type FilmVideo = {
  readonly exportId: string;
  readonly target: string;
  readonly sha256: string;
  readonly sizeBytes: number;
};

type FilmKey = Pick<Film, "id" | "projectId">;

/** Those of a project, with what runs in it; or those that have waited since before a time. */
export type HeldFilms = { readonly projectId: string } | { readonly before: number };

export type ChangedCheckpoints = { readonly [name: string]: Checkpoint | undefined };

export type FilmStore = ResultStore & {
  /**
   * Adds a film with its work, which counts into no bound of works, and enqueues its first look, in one transaction.
   * False if the project no longer exists. Throws limit_reached.
   */
  add(film: Film, keys: SealedKeys, work?: Work): Promise<boolean>;
  find(projectId: string, filmId: string): Promise<Film | undefined>;
  /** Newest first. */
  list(projectId: string, page: PageRequest): Promise<Page<Film>>;
  /** Begins a new attempt. Undefined if the film has ended or is gone, or its project. */
  acquire(filmId: string): Promise<Film | undefined>;
  /** The film of an attempt; undefined once another one has begun, or the film has ended or is gone. */
  load(filmId: string, attempt: number): Promise<Film | undefined>;
  /** What a step of the film is made from, in one statement. Undefined if the account, the project or the work is gone. */
  findTarget(film: Pick<Film, "id" | "userId" | "projectId" | "workId">): Promise<FilmTarget | undefined>;
  /** The revision that `load` would return: one statement for all that are asked for at about the same time. */
  loadRevision(filmId: string, attempt: number): Promise<number | undefined>;
  /**
   * Runs `edit` on the stored film under a row lock. With `attempt`, nothing changes once another attempt has begun.
   * `wake` enqueues a look at it, `results` are found by later films. The keys are erased if the film has ended. Undefined if there is no such film. With
   * `seen`, the film as it was read last, it takes one statement unless the film has changed since; `edit` may run twice.
   * With `countsSpend`, `edit` gets what counts against the film's budget: no call is reserved before the transaction ends.
   * With `editWork`, `edit` gets the film's work as well, locked, and both changes are stored, or none if one throws.
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
  /** Stores the named ones in one statement, and removes those that are undefined. False once another attempt has begun. */
  saveCheckpoints(film: Pick<Film, "id" | "attempt">, stepId: string, changed: ChangedCheckpoints): Promise<boolean>;
  keys(filmId: string): Promise<SealedKeys>;
  /** The unfinished films of a project, or of a user, that have a key for videos: providers may be working for them. */
  listWithVideoKey(owner: FilmOwner): Promise<readonly Film[]>;
  /** Those that wait for a budget. */
  listUnderBudget(of: HeldFilms): Promise<readonly FilmKey[]>;
  /** Erases the keys of some films that have waited since before this time; they then wait for keys. */
  expireKeys(before: number): Promise<number>;
  /** Ends some films that have waited since before this time, and erases their keys. */
  endWaiting(before: number): Promise<number>;
  /** Films of tables that have the earlier export have these videos of a later one. */
  renameVideos(exportId: string, videos: readonly FilmVideo[]): Promise<void>;
  /** Its calls stay in the ledger, without its name. */
  remove(film: FilmKey): Promise<boolean>;
};

export const filmOutcomes: readonly FilmStatus[] = ["done", "error", "cancelled"];

export const hasEnded = ({ status }: Pick<Film, "status">): boolean => filmOutcomes.includes(status);

/** A step that nothing makes again but a retry. */
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

/** What steps found side by side is kept. */
export const withFindings = (known: FilmFindings | undefined, found: FilmFindings): FilmFindings => ({
  ...known,
  ...found,
  ...(found.differences && { differences: { ...known?.differences, ...found.differences } }),
});

export const callerOf = (user: Caller["user"], { scopes }: Film): Caller => ({ user, via: "login", scopes });
