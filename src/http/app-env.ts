import type { Context } from "hono";
import type { Session } from "../domain/accounts/access-tokens.ts";
import type { Caller } from "../domain/accounts/caller.ts";
import type { Scope } from "../domain/accounts/scopes.ts";
import type { Asset } from "../domain/assets/assets.ts";
import type { Batch } from "../domain/batches/batch.ts";
import type { MediaSlot } from "../domain/files/internal-urls.ts";
import type { Film } from "../domain/films/film.ts";
import type { Checkpoints } from "../domain/idempotency/checkpoints.ts";
import type { Spending } from "../domain/ledger/paid-calls.ts";
import type { Operation } from "../domain/operations/operations.ts";
import type { Project } from "../domain/projects/projects.ts";
import type { Review } from "../domain/reviews/reviews.ts";
import type { Template } from "../domain/templates/templates.ts";
import type { Work } from "../domain/works/works.ts";

/** A request that runs independently of its connection; set by `deferRequests`. */
export type DeferredRequest = {
  readonly signal: AbortSignal;
  readonly stopSignal: AbortSignal;
  cancel(): void;
  /** Called when all checks have passed: the client gets its response. */
  accept(operation: Operation): void;
  /** Calls `run` once the request has its response and all its middleware has ended. */
  whenAnswered(run: () => Promise<void>): void;
};

export type TargetWork = { readonly project: Project; readonly work: Work };

/** The smallest number of bytes that a body must deliver in each period until it is complete. */
export type MinimumPace = { readonly bytes: number; readonly periodMs: number };

/** `anonymous` applies to bodies of requests without a credential. */
export type BodyLimits = { readonly [kind in "json" | "form" | "anonymous"]: MinimumPace };

type ResponseFile = { readonly key: string; readonly sizeBytes: number };

/** `c.get` reads one variable, `c.var` copies all of them, which matters in code that every request runs. */
export type AppEnv = {
  /** The Bun server that received the request. Undefined in `app.request`: read it with `?.`. */
  Bindings: Partial<Pick<Bun.Server<undefined>, "timeout" | "requestIP">> & {
    /** The next four are set by `CallRoute`. This is the request that makes the call. */
    readonly from?: Context<AppEnv>;
    readonly json?: unknown;
    readonly assumed?: readonly string[];
    readonly deferred?: DeferredRequest;
  };
  Variables: {
    /** Set by `headersOfModels` if the chosen model does not exist. */
    modelError: unknown;
    requestId: string;
    /** Set by `readJsonBody`, or by `CallRoute` for a body that was read with another request. */
    jsonBody: { readonly value: unknown } | undefined;
    /** Set by `limitBodies`. */
    bodyLimits: BodyLimits;
    /**
     * Set by `limitBodies`: takes a slot for a body of the caller, or of the address if nobody is logged in, and returns
     * the function that frees it. Throws rate_limited and busy; `giveWay` makes an address's body yield to later ones.
     */
    acquireBodySlot: (giveWay?: () => void) => () => void;
    /** Set by `requestSignals`: aborts when the process stops. */
    stopSignal: AbortSignal;
    /** Set by `requestSignals`: aborts when the process begins to stop, for responses that another process continues. */
    drainSignal: AbortSignal;
    /** Set by `requestSignals`: aborts when the client disconnects or the process stops: read it with `clientSignal`. */
    connectionSignal: (() => AbortSignal) | undefined;
    /** Set by `idempotent` for a request with a key: read it with `clientSignal`. */
    detachedSignal: AbortSignal | undefined;
    /** Set by `measureRequests` if there are metrics: counts bytes of the body as they arrive. */
    bodyReceived: ((sizeBytes: number) => void) | undefined;
    /** Set by `requestLog`: for errors after the response has begun, which no error handler sees. */
    logError: (error: unknown) => void;
    /** The session that the access token claims, without a query; throws unauthenticated or invalid_token. */
    sessionFromToken: () => Promise<Session | undefined>;
    /** Loads the caller by the request's credential, once; throws unauthenticated, invalid_token or rate_limited. */
    identify: () => Promise<Caller>;
    /** Checks the request's credential again, for long responses; throws invalid_token once it is revoked. */
    reauthenticate: () => Promise<Caller>;
    /** Set by `allowQueryToken`: this route accepts `?token=` as a credential. */
    acceptsQueryToken: boolean;
    /** Set by `withoutCookie`: this route accepts no login by cookie. */
    refusesCookie: boolean;
    /** Set by `requireScopes` and `requireLogin`. */
    caller: Caller;
    /** Set by `requireScopes` and `requireLogin`: lets the next request of the user run before this one has ended. */
    leaveUserSlot: () => void;
    /** Set by `requireScopes`. */
    requiredScopes: readonly Scope[];
    /** Set by `identify`: the project in the path, as the query for the caller found it. */
    foundProject: { readonly id: string; readonly project: Project | undefined } | undefined;
    /** Set by `identify`: the asset in the path, as the query for the caller found it. */
    foundAsset: { readonly asset: Asset | undefined } | undefined;
    /** Set by `loadProject` and `loadWork`. */
    project: Project;
    work: Work;
    /** Set by the routes of films and of batches that take a body. */
    film: Film;
    batch: Batch;
    /** Set by the routes of a review link. */
    review: Review;
    /** Set by `loadTemplate`. */
    template: Template;
    /** Set by `loadAsset`. */
    asset: Asset;
    /** Set by the routes of a work's media. */
    slot: MediaSlot;
    /** Set by `loadSceneIndex`. */
    sceneIndex: number;
    /** Set by `loadTargetWork` if the body names a work to store the result in. */
    targetWork: TargetWork | undefined;
    /** Set by `idempotent`. */
    checkpoints: Checkpoints;
    /**
     * Set by `idempotent` for a request with a key. A handler that responds with a file calls it, so that the file can
     * be replayed as long as its project exists. Never throws: the response is valid without the copy.
     */
    storeResponseFile: ((file: ResponseFile, projectId: string) => Promise<void>) | undefined;
    /** Set by `providerCallFor`: the cost of the provider calls. */
    spending: Spending | undefined;
    /** Set by `withEtag`. */
    revision: number | undefined;
  };
};
