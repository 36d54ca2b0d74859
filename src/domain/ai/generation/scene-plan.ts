import type { MediaOrigin, WorkMedia, WorkMediaStore } from "../../works/media.ts";
import type { SceneFile } from "../../works/scene-state.ts";
import type { ImageModel, ModelId, VideoModel } from "../models.ts";
import type { SceneTarget } from "./scene-lock.ts";
import { sceneSlot } from "./scene-progress.ts";
import { imageInputHash, type SceneSource, videoInputHash } from "./scene-source.ts";

export type SceneModelChoice = {
  readonly model: ModelId;
  /** The requested model, if it has been retired. */
  readonly replaces?: string;
  /** False if the caller named neither a provider nor a model: then the model that made a file does not matter. */
  readonly isNamed: boolean;
};

/** The models that the caller chose for a scene. */
export type SceneModels = {
  readonly choices: Readonly<Record<SceneFile, SceneModelChoice>>;
  /** Creates the models for the files that need one, which decides whose key a shared key is. Calls no provider. */
  forFiles(files: readonly SceneFile[]): { image(): ImageModel; video(): VideoModel };
};

type PlannedFile = {
  /** The slot's content when the plan was made. */
  readonly seen: WorkMedia | undefined;
  readonly isMade: boolean;
};

export type ScenePlan = Readonly<Record<SceneFile, PlannedFile>>;

type PlanRequest = SceneTarget & { readonly models: SceneModels; readonly force: boolean };

/** Plans missing files, and those made from other inputs or by another model; with `force` both. Keeps uploads. */
export async function planScene(
  { workMedia }: { readonly workMedia: WorkMediaStore },
  request: PlanRequest,
  source: SceneSource,
): Promise<ScenePlan> {
  const media = await workMedia.list(request.work.id);
  const plan = (file: SceneFile, inputHash: string): PlannedFile => {
    const seen = media.find(({ slot }) => slot === sceneSlot(request, file));
    const choice = request.models.choices[file];
    const isMade = request.force || !seen || (seen.origin !== undefined && differs(seen.origin, inputHash, choice));
    return { seen, isMade };
  };
  const image = plan("image", imageInputHash(source));
  // a regenerated image needs a new video
  const imageSha256 = image.isMade ? undefined : image.seen?.file.sha256;
  return { image, video: plan("video", videoInputHash(source, imageSha256)) };
}

/** True if the inputs or the model differ. A copy of an asset has no model. */
const differs = ({ inputHash, model }: MediaOrigin, wantedHash: string, { isNamed, model: wanted }: SceneModelChoice) =>
  inputHash !== wantedHash ||
  (isNamed && model !== undefined && (model.provider !== wanted.provider || model.model !== wanted.model));

/** The planned files that a model makes. A video asset is both the scene's video and the source of its image. */
export const filesByModel = (plan: ScenePlan, { asset }: SceneSource): readonly SceneFile[] => [
  ...(plan.image.isMade && !asset ? (["image"] as const) : []),
  ...(plan.video.isMade && asset?.type !== "video" ? (["video"] as const) : []),
];
