import type { Containment, VideoAnalyzer } from "../../../engine/ports.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import { DomainError } from "../../../errors.ts";
import { hexColor } from "../../../platform/colors.ts";
import type { LeasePorts } from "../../../platform/leases.ts";
import type { AssetStore } from "../../assets/assets.ts";
import { paletteOf } from "../../brand/brand.ts";
import { copyStoredImage } from "../../media-sources/image-sources.ts";
import type { Project } from "../../projects/projects.ts";
import { requireFound } from "../../shared/versioned.ts";
import { type GenerationTarget, putGenerated, type WorkMedia } from "../../works/media.ts";
import { type SceneFile, withSceneFile } from "../../works/scene-state.ts";
import type { ScenarioScene } from "../../works/works.ts";
import type { ProviderCall } from "../provider-calls.ts";
import type { SceneDesign } from "../scene-design.ts";
import { type DirectAsset, findDirectAsset, putAssetFile, putAssetStill } from "./direct-assets.ts";
import { animateAndStore, drawAndStore } from "./generation.ts";
import { imageTaskOf, videoTaskOf } from "./prompts.ts";
import { findSceneReferences, referencesFor } from "./references.ts";
import { type SceneTarget, withSceneLock } from "./scene-lock.ts";
import { filesByModel, planScene, type SceneModels, type ScenePlan } from "./scene-plan.ts";
import {
  changeScene,
  generateForScene,
  type SceneProgressPorts,
  type StoreMedia,
  sceneOf,
  sceneSlot,
} from "./scene-progress.ts";
import {
  imageInputHash,
  imageShotOf,
  resolutionOf,
  type SceneSource,
  videoInputHash,
  videoShotOf,
} from "./scene-source.ts";

type GenerateSceneRequest = SceneTarget & {
  readonly project: Project;
  readonly models: SceneModels;
  /** Regenerates the files, including uploads. */
  readonly force: boolean;
  /** The files to make, for a step of a film, which shows the progress. By default both, and then the URLs are re-read. */
  readonly files?: readonly SceneFile[];
  /** See `SceneSource`. */
  readonly resolution?: Canvas | undefined;
  readonly core?: Canvas | undefined;
  readonly design?: SceneDesign | undefined;
};

export type SceneUrls = {
  readonly imageUrl: string;
  readonly videoUrl: string;
  readonly contained?: Containment | undefined;
};

export type GenerateScenePorts = SceneProgressPorts &
  LeasePorts & {
    readonly assets: Pick<AssetStore, "find" | "findMany">;
    readonly videoAnalyzer: VideoAnalyzer;
  };

/** Generates the files of a scene. Keeps uploads, and files that the named models made from the same inputs. */
export async function generateScene(
  ports: GenerateScenePorts,
  call: ProviderCall,
  request: GenerateSceneRequest,
): Promise<SceneUrls> {
  const scene = requireScene(request);
  return withSceneLock(ports, request, async () => {
    // both models are created before the first call, so an invalid choice costs nothing
    for (const makeFile of await filesToMake(ports, { ...request, scene, call })) {
      call.clientSignal.throwIfAborted();
      await makeFile();
    }
    return request.files ? sceneUrls(ports, request) : restoreUrls(ports, request);
  });
}

const isWanted = ({ files }: Pick<GenerateSceneRequest, "files">, file: SceneFile): boolean =>
  files?.includes(file) ?? true;

function requireScene({ work, sceneIndex }: SceneTarget): ScenarioScene {
  const scene = work.scenes[sceneIndex];
  if (!scene) throw new DomainError("scene_missing", { sceneIndex, sceneCount: work.scenes.length });
  return scene;
}

type SceneJob = GenerateSceneRequest & { readonly scene: ScenarioScene; readonly call: ProviderCall };

type MakeFile = () => Promise<unknown>;

async function filesToMake(ports: GenerateScenePorts, job: SceneJob): Promise<readonly MakeFile[]> {
  const direct = await findDirectAsset(ports, job);
  const references = direct ? [] : await findSceneReferences(ports, job);
  const source: SceneSource = { ...job, references, ...(direct && { asset: direct.asset }) };
  const plan = await planScene(ports, job, source);
  const models = job.models.forFiles(filesByModel(plan, source).filter((file) => isWanted(job, file)));
  const maker: SceneMaker = { ports, job, source, plan, models, ...(direct && { direct }) };
  const makes = (file: SceneFile) => plan[file].isMade && isWanted(job, file);
  return [...(makes("image") ? [imageMaker(maker)] : []), ...(makes("video") ? [videoMaker(maker)] : [])];
}

type SceneMaker = {
  readonly ports: GenerateScenePorts;
  readonly job: SceneJob;
  readonly source: SceneSource;
  readonly plan: ScenePlan;
  readonly models: ReturnType<SceneModels["forFiles"]>;
  readonly direct?: DirectAsset;
};

function imageMaker(maker: SceneMaker): MakeFile {
  const { ports, job, source, models, direct } = maker;
  const { call } = job;
  const { owner } = call.taskOptions;
  const isShownElsewhere = job.files !== undefined;
  const inputHash = imageInputHash(source);
  if (direct) {
    const target = targetOf(maker, "image", { inputHash });
    const put = () =>
      direct.asset.type === "image"
        ? putAssetFile(ports, direct, target)
        : putAssetStill(ports, direct, target, call.taskOptions);
    return () => generateForScene(ports, job, "image", { call, generate: put, isShownElsewhere });
  }
  const model = models.image();
  const target = targetOf(maker, "image", { inputHash, model: job.models.choices.image.model });
  const draw = async (stored: () => void) => {
    const references = await referencesFor(ports, { model, call }, source.references);
    const task = imageTaskOf(imageShotOf(source), resolutionOf(source), { references, design: source.design });
    return drawAndStore(ports, { call, model }, task, async (drawn) => {
      const { url } = await putGenerated(ports, target, drawn, owner);
      stored();
      return url;
    });
  };
  return () => generateForScene(ports, job, "image", { call, generate: draw, isShownElsewhere });
}

function videoMaker(maker: SceneMaker): MakeFile {
  const { ports, job, direct } = maker;
  const generate = direct?.asset.type === "video" ? () => putClip(maker, direct) : animation(maker);
  return async () => {
    if (followsImage(maker) && (await isReplaced(maker, "video"))) return;
    const isShownElsewhere = job.files !== undefined;
    await generateForScene(ports, job, "video", { call: job.call, generate, isShownElsewhere });
  };
}

/** The scene may change while its image is made. */
const followsImage = ({ plan, job }: SceneMaker): boolean => plan.image.isMade && isWanted(job, "image");

function putClip(maker: SceneMaker, clip: DirectAsset): Promise<string> {
  const target = targetOf(maker, "video", { inputHash: videoInputHash(maker.source) });
  return putAssetFile(maker.ports, clip, target);
}

function animation(maker: SceneMaker): (stored: () => void) => Promise<string> {
  const { ports, job, source, models, plan } = maker;
  const { call } = job;
  const { owner } = call.taskOptions;
  const model = models.video();
  const planned = followsImage(maker) ? undefined : plan.image.seen;
  const durationSeconds = model.nearestDuration(source.scene.duration_seconds);
  return async (stored) => {
    const { file, origin: imageOrigin } = planned ?? (await requireImage(ports, job));
    const design = imageOrigin?.inputHash === imageInputHash(source) ? source.design : undefined;
    const inputHash = videoInputHash(source, file.sha256);
    const origin = { inputHash, model: job.models.choices.video.model };
    let contained: Containment | undefined;
    const direct = maker.direct && {
      palette: groundColors(job.project),
      core: source.core,
      onContained(why: Containment) {
        contained = why;
      },
    };
    const put: StoreMedia = async (video) => {
      const target = targetOf(maker, "video", { ...origin, ...(contained && { contained }) });
      const { url } = await putGenerated(ports, target, video, owner);
      stored();
      return url;
    };
    const pictures = maker.direct && model.maxReferences ? await findSceneReferences(ports, job) : source.references;
    const references = await referencesFor(ports, { model, call }, pictures);
    const { image, dispose } = await copyStoredImage(ports, file, call.taskOptions, () => pictureLost(job));
    try {
      const shown = { resolution: resolutionOf(source), durationSeconds, image, references, direct, design };
      return await animateAndStore(ports, { call, model }, videoTaskOf(videoShotOf(source), shown), put);
    } finally {
      await dispose();
    }
  };
}

const pictureLost = ({ sceneIndex }: SceneJob) =>
  new DomainError("asset_missing", {
    path: "sceneIndex",
    what: `The picture of scene ${sceneIndex}, which has to be made again first,`,
  });

/** The brand's colors, its background first; otherwise those of the style guide. */
function groundColors({ styleGuide }: Project): readonly string[] {
  const { background, primary, secondary, accent } = paletteOf(styleGuide) ?? {};
  const brand = [background, primary, secondary, accent].flatMap((color) => color ?? []);
  const colors = brand.length > 0 ? brand : (styleGuide?.color_palette ?? []).slice(0, maxGroundColors);
  return colors.flatMap((color) => hexColor(color) ?? []);
}

const maxGroundColors = 20;

const targetOf = (
  { job, plan }: SceneMaker,
  file: SceneFile,
  origin: NonNullable<GenerationTarget["origin"]>,
): GenerationTarget => ({ work: job.work, slot: sceneSlot(job, file), seen: plan[file].seen, origin });

/** True if the slot's file was replaced since the plan was made: the new file stays. */
async function isReplaced({ ports, job, plan }: SceneMaker, file: SceneFile): Promise<boolean> {
  const current = await ports.workMedia.find(job.work.id, sceneSlot(job, file));
  return current !== undefined && current.file.key !== plan[file].seen?.file.key;
}

/** The scene's current image: the generated one, or an upload that replaced it meanwhile. */
async function requireImage({ workMedia }: GenerateScenePorts, target: SceneTarget): Promise<WorkMedia> {
  const media = await workMedia.find(target.work.id, sceneSlot(target, "image"));
  if (media) return media;
  throw new DomainError("scene_video_missing", { path: "sceneIndex", sceneIndex: target.sceneIndex });
}

const sceneUrls = ({ internalUrls }: GenerateScenePorts, target: SceneTarget): SceneUrls => ({
  imageUrl: internalUrls.workMedia(target.work, sceneSlot(target, "image")),
  videoUrl: internalUrls.workMedia(target.work, sceneSlot(target, "video")),
});

/** Returns both URLs. Sets them in the work again if a concurrent save of an editor has overwritten them. */
async function restoreUrls(ports: GenerateScenePorts, request: GenerateSceneRequest): Promise<SceneUrls> {
  const { work, sceneIndex } = request;
  const urls = sceneUrls(ports, request);
  const video = await ports.workMedia.find(work.id, sceneSlot(request, "video"));
  const current = sceneOf(requireFound(await ports.works.find(work.projectId, work.id)), sceneIndex);
  const isComplete =
    current?.status === "done" && current.imageUrl === urls.imageUrl && current.videoUrl === urls.videoUrl;
  if (!isComplete) {
    await changeScene(ports, request, (scene) =>
      withSceneFile(withSceneFile(scene, "image", urls.imageUrl), "video", urls.videoUrl),
    );
  }
  const contained = video?.origin?.contained;
  return { ...urls, ...(contained && { contained }) };
}
