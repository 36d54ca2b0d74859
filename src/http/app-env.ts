import type { Checkpoints } from "../domain/ai/provider-calls.ts";
import type { Asset } from "../domain/assets/assets.ts";
import type { Caller } from "../domain/auth/caller.ts";
import type { Project } from "../domain/projects/projects.ts";
import type { Template } from "../domain/templates/templates.ts";
import type { MediaSlot, Work } from "../domain/works/works.ts";

type Place = { readonly project: Project; readonly work: Work };

/** What the middleware leaves for the handlers. */
export type AppEnv = {
  /** The Bun server that took the request; undefined where there is none, as in `app.request`: read it with `?.`. */
  Bindings: Partial<Pick<Bun.Server<undefined>, "timeout" | "requestIP">>;
  Variables: {
    requestId: string;
    /** Reads the request's credential; throws unauthenticated or invalid_token. */
    identify: () => Promise<Caller>;
    /** `?token=` counts as a credential on this route. */
    queryTokenTaken: boolean;
    /** Set by `needs`. */
    caller: Caller;
    /** Set by `ownProject` and `ownWork`. */
    project: Project;
    work: Work;
    /** Set by `ownTemplate` and `ownAsset`. */
    template: Template;
    asset: Asset;
    /** Set by the routes of a work's media. */
    slot: MediaSlot;
    /** Set by `sceneInPath`. */
    sceneIndex: number;
    /** Set by `ownPlace`: the work that the result is for, when the body names one. */
    place: Place | undefined;
    /** Set by `answeredOnce`. */
    checkpoints: Checkpoints;
    /**
     * Set by `answeredOnce` where the answer is to be kept: an answer that is a file puts it into the store as well. Never
     * throws, because the answer is good without.
     */
    keepAnswerFile: ((file: { readonly path: string; readonly sizeBytes: number }) => Promise<void>) | undefined;
    /** Set by a handler whose answer is one versioned resource: becomes its ETag. */
    revision: number | undefined;
  };
};
