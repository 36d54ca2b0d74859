import type { Canvas } from "../../../timeline/timeline.ts";
import type { SceneDesign } from "../../ai/scene-design.ts";
import type { Project } from "../../projects/projects.ts";
import { directAssetIds } from "../../works/direct-assets.ts";
import type { WorkMedia } from "../../works/media.ts";
import type { Work } from "../../works/works.ts";
import type { FilmCategory, FilmPlan } from "../film.ts";
import { drawnCore, drawnSize, filmCanvases, lookSeed, sceneDesign } from "../look/design.ts";
import { filmPalette } from "../look/palette.ts";

const isLocal = ({ order }: FilmPlan, category: FilmCategory): boolean => {
  const { [category]: model } = order.models;
  return model === undefined || model.provider === "local";
};

/** The last scene of several is an end card: it shows no asset itself. */
const showsAsset = (work: Work, scene: number): boolean =>
  directAssetIds(work) !== undefined && !(scene > 0 && scene === work.scenes.length - 1);

/** Whether the local model makes the picture of the scene and moves it. */
function isMadeHere(film: FilmPlan, scene: number): boolean {
  const hasOwnFile = film.steps.some((step) => step.scene === scene && step.assetId !== undefined);
  return isLocal(film, "image") && isLocal(film, "video") && !hasOwnFile;
}

/** Whether the local model draws the scene and moves what it has drawn. */
export const isDrawn = (film: FilmPlan, work: Work, scene: number): boolean =>
  isMadeHere(film, scene) && !showsAsset(work, scene);

/** Whether what the scene shows lies around the frames of all targets. A file that is the caller's own has no model. */
export function isAroundTargets(film: FilmPlan, work: Work, scene: number, shown: WorkMedia | undefined): boolean {
  if (!isMadeHere(film, scene) || shown?.origin?.model === undefined) return false;
  const { width, height } = drawnSize(filmCanvases(work, film.order.targets));
  // an earlier version made videos of pictures in the work's own frame
  return shown.file.facts.width === width && shown.file.facts.height === height;
}

/** How a scene's picture and video are made: what the local model draws or shows, and in which frame. */
type ScenePicture = {
  readonly work: Work;
  readonly design?: SceneDesign;
  readonly resolution?: Canvas;
  readonly core?: Canvas;
};

export function scenePicture(film: FilmPlan, project: Project, work: Work, scene: number): ScenePicture {
  if (!isMadeHere(film, scene)) return { work };
  const canvases = filmCanvases(work, film.order.targets);
  const resolution = drawnSize(canvases);
  if (showsAsset(work, scene)) return canvases.length > 1 ? { work, resolution, core: drawnCore(canvases) } : { work };
  const { assetUsageMode: _, ...withoutAssets } = work;
  const seed = lookSeed(film.order, work);
  const palette = filmPalette(project.styleGuide, seed);
  const sceneCount = work.scenes.length;
  const hasLogo = film.order.found?.logo !== undefined;
  return {
    work: withoutAssets,
    design: sceneDesign({ work, seed, palette, canvases, scene, sceneCount, hasLogo }),
    resolution,
  };
}
