import type { Canvas } from "../../timeline/timeline.ts";
import type { SceneDesign } from "../ai/scene-design.ts";
import type { Project } from "../projects/projects.ts";
import { directAssetIds } from "../works/direct-assets.ts";
import type { Work } from "../works/works.ts";
import type { Film, FilmCategory } from "./film.ts";
import { drawnSize, filmCanvases, sceneDesign } from "./look/design.ts";
import { filmPalette } from "./look/palette.ts";

const isLocal = ({ order }: Film, category: FilmCategory): boolean => {
  const { [category]: model } = order.models;
  return model === undefined || model.provider === "local";
};

/** The last scene of several is an end card: it shows no asset itself. */
const showsAsset = (work: Work, scene: number): boolean =>
  directAssetIds(work) !== undefined && !(scene > 0 && scene === work.scenes.length - 1);

/** Whether the local model draws the scene and moves what it has drawn. */
export function isDrawn(film: Film, work: Work, scene: number): boolean {
  const hasOwnFile = film.steps.some((step) => step.scene === scene && step.assetId !== undefined);
  return isLocal(film, "image") && isLocal(film, "video") && !hasOwnFile && !showsAsset(work, scene);
}

/** How a scene's picture and video are made: what the local model draws, and in which frame. */
type ScenePicture = {
  readonly work: Work;
  readonly design?: SceneDesign;
  readonly resolution?: Canvas;
};

export function scenePicture(film: Film, project: Project, work: Work, scene: number): ScenePicture {
  if (!isDrawn(film, work, scene)) return { work };
  const { assetUsageMode: _, ...withoutAssets } = work;
  const canvases = filmCanvases(work, film.order.targets);
  const palette = filmPalette(project.styleGuide, work.productName);
  const sceneCount = work.scenes.length;
  return {
    work: withoutAssets,
    design: sceneDesign({ work, palette, canvases, scene, sceneCount }),
    resolution: drawnSize(canvases),
  };
}
