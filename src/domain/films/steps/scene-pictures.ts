import { z } from "zod";
import type { FocusFinder } from "../../../engine/ports.ts";
import { type FocusPoint, focusAt, shotAt } from "../../../engine/timeline/focus.ts";
import { safeZoneOf } from "../../../engine/timeline/safe-zone.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import type { TaskOptions } from "../../../platform/limits/concurrency-limit.ts";
import type { SceneDesign } from "../../ai/scene-design.ts";
import type { Asset, AssetStore } from "../../assets/assets.ts";
import { sourceOf } from "../../files/file-store.ts";
import type { LookLibrary, Looks } from "../../looks/looks.ts";
import type { Project, StyleGuide } from "../../projects/projects.ts";
import { type AspectRatio, aspectRatios } from "../../shared/schemas.ts";
import type { WorkMedia } from "../../works/media.ts";
import { directAssetIds, type Work } from "../../works/works.ts";
import type { FilmCategory, FilmPlan } from "../film.ts";
import { drawnCore, drawnSize, filmCanvases, filmLook, sceneColors } from "../look/film-look.ts";
import { type Device, type FramedPicture, layoutCard } from "../look/layout-card.ts";
import { FilmPalette } from "../look/palette.ts";
import { filmWords } from "../look/scene-words.ts";
import type { SubjectLibrary } from "../subject/library.ts";
import { findSubject } from "../subject/subject.ts";

const isLocal = ({ order }: FilmPlan, category: FilmCategory): boolean => {
  const { [category]: model } = order.models;
  return model === undefined || model.provider === "local";
};

/** The last scene of several is an end card, without an asset. */
const showsAsset = (work: Work, scene: number): boolean =>
  directAssetIds(work) !== undefined && !(scene > 0 && scene === work.scenes.length - 1);

/** True if the local model makes and animates the picture of the scene. */
function isMadeHere(film: FilmPlan, scene: number): boolean {
  const hasOwnFile = film.steps.some((step) => step.scene === scene && step.assetId !== undefined);
  return isLocal(film, "image") && isLocal(film, "video") && !hasOwnFile;
}

/** True if the local model draws the scene and animates its drawing. */
export const isDrawn = (film: FilmPlan, work: Work, scene: number, assets: readonly Asset[]): boolean =>
  isMadeHere(film, scene) &&
  (!showsAsset(work, scene) || framedPicture(work, scene, assets, film.order.targets) !== undefined);

/** The most of a photo that may be cropped where it fills the frame. */
const maxCropped = 0.25;

/** Names of files with a picture of a screen. */
const ofScreen =
  /screen[ _-]?(?:shot|cap)|bildschirm(?:foto|aufnahme)|capture[ _-]d|captura|dashboard|web[ _-]?(?:site|page|app)|(?<!\p{L})(?:app|ui|iphone|ipad|android|laptop|macbook|browser)(?!\p{L})|スクリーンショット|画面|لقطة/iu;
const ofLaptop = /laptop|macbook|desktop/i;

/** Sizes of screens that pictures of other things hardly have. */
const screenSizes = new Set(
  [
    "750x1334 828x1792 1125x2436 1170x2532 1179x2556 1206x2622 1242x2688 1284x2778 1290x2796 1320x2868 1080x2340 1080x2400",
    "1440x3088 1440x3120 1440x3200 1366x768 1440x900 2560x1600 2880x1800 3024x1964 3456x2234",
  ].flatMap((sizes) => sizes.split(" ")),
);

/** The device around a picture of a screen, which its name or its size tells; undefined for other pictures. */
function deviceOf(name: string, { container, width, height }: { container?: string } & Canvas): Device | undefined {
  const isScreen = ofScreen.test(name) || (container !== "jpeg" && screenSizes.has(`${width}x${height}`));
  if (!isScreen) return undefined;
  return height > 1.3 * width ? "phone" : ofLaptop.test(name) ? "laptop" : "browser";
}

/** The photo of a scene that would lose too much if it filled the frame: it lies beside the words. */
export function framedPicture(
  work: Work,
  scene: number,
  assets: readonly Asset[],
  targets: readonly AspectRatio[],
): FramedPicture | undefined {
  const ids = showsAsset(work, scene) ? (directAssetIds(work) ?? []) : [];
  const asset = assets.find(({ id }) => id === ids[scene % ids.length]);
  const { kind, container, width, height } = asset?.file.facts ?? {};
  const [canvas] = filmCanvases(work, targets);
  if (!asset || kind !== "image" || !width || !height || !canvas) return undefined;
  const device = deviceOf(asset.name, { container, width, height });
  const size = { width, height };
  if (device) return { assetId: asset.id, isWhole: true, size, device };
  const ratio = (width * canvas.height) / (height * canvas.width);
  if (Math.min(ratio, 1 / ratio) >= 1 - maxCropped) return undefined;
  // drawings and pictures of screens, which are not cropped
  return { assetId: asset.id, isWhole: container !== "jpeg", size };
}

/** True if the scene's file contains the frames of all targets. A caller's own file has no model. */
export function isAroundTargets(film: FilmPlan, work: Work, scene: number, shown: WorkMedia | undefined): boolean {
  if (!isMadeHere(film, scene) || shown?.origin?.model === undefined) return false;
  const { width, height } = drawnSize(filmCanvases(work, film.order.targets));
  // an earlier version made videos in the work's own frame
  return shown.file.facts.width === width && shown.file.facts.height === height;
}

/** How a scene's picture and video are made: the local model's drawing or the asset, and the frame. */
type ScenePicture = {
  readonly work: Work;
  readonly design?: SceneDesign;
  readonly resolution?: Canvas;
  readonly core?: Canvas;
};

export const scenePicture = (film: FilmPlan, shown: Shown, scene: number): ScenePicture =>
  isMadeHere(film, scene) ? localPicture(styleOf(film), shown, scene) : { work: shown.work };

/** A work with the pictures that it has chosen, and the drawing of what it is about. */
export type Shown = {
  readonly project: Project;
  readonly work: Work;
  readonly assets: readonly Asset[];
  /** The looks of the project. */
  readonly looks: Looks;
  readonly subject?: string | undefined;
};

export type ShownPorts = {
  readonly assets: Pick<AssetStore, "findMany">;
  readonly looks: Pick<LookLibrary, "of">;
  readonly subjects: SubjectLibrary;
};

/** Finds what the scenes of a work show besides their words. */
export async function findShown({ assets, looks, subjects }: ShownPorts, project: Project, work: Work): Promise<Shown> {
  const { productName: name, productDescription: description, language } = work;
  const [chosen, ofProject, subject] = await Promise.all([
    assets.findMany(project.id, work.selectedAssetIds ?? []),
    looks.of(project.id),
    findSubject({ name, description, language }, subjects),
  ]);
  return { project, work, assets: chosen, looks: ofProject, subject: subject?.svg };
}

/** The middle of what each photo shows, as far as it can be measured. */
export async function findFocuses(
  { focusFinder }: { readonly focusFinder: Pick<FocusFinder, "find"> },
  assets: readonly Asset[],
  projectId: string,
  options: TaskOptions,
): Promise<ReadonlyMap<string, FocusPoint>> {
  const focuses = new Map<string, FocusPoint>();
  for (const { id, file, subjectBoxes: boxes = [] } of assets.filter(({ type }) => type === "image")) {
    const subject = boxes.length > 0 ? { boxes } : {};
    const track = await focusFinder.find(sourceOf(file), { projectId, ...options, ...subject });
    if (track) focuses.set(id, focusAt(shotAt(track, 0), 0));
  }
  return focuses;
}

/** The style of a film's scenes, saved in the work's editor. */
const FilmStyle = z.object({
  targets: z.array(z.enum(aspectRatios)).min(1),
  hasLogo: z.boolean(),
  look: z.string().optional(),
  lookSeed: z.string().optional(),
  palette: FilmPalette.optional(),
  /** From the brief's page. */
  styleGuide: z.custom<StyleGuide>((value) => typeof value === "object" && value !== null).optional(),
});
type FilmStyle = z.output<typeof FilmStyle>;

export const styleOf = ({ order: { targets, found, look, lookSeed, palette } }: FilmPlan): FilmStyle => ({
  targets: [...targets],
  hasLogo: found?.logo !== undefined,
  ...(look && { look }),
  ...(lookSeed && { lookSeed }),
  ...(palette && { palette }),
  ...(found?.styleGuide && { styleGuide: found.styleGuide }),
});

/** The project with the brand of the brief's page, where the project has none. */
export const withPageStyle = (project: Project, page: StyleGuide | undefined): Project =>
  page ? { ...project, styleGuide: { ...page, ...project.styleGuide } } : project;

/** Makes a scene without a film like the work's film, if it has one. */
export function pictureInWork(
  { project: stored, ...shown }: Shown,
  { scene, isLocal: isMadeLocally }: { readonly scene: number; readonly isLocal: boolean },
): ScenePicture & { readonly project: Project } {
  const { work } = shown;
  const style = FilmStyle.safeParse(work.editorState?.filmLook).data;
  const project = withPageStyle(stored, style?.styleGuide);
  return {
    project,
    ...(style && isMadeLocally && work.scenes[scene] ? localPicture(style, { project, ...shown }, scene) : { work }),
  };
}

function localPicture(style: FilmStyle, shown: Shown, scene: number): ScenePicture {
  const { project, work, assets, looks } = shown;
  const canvases = filmCanvases(work, style.targets);
  const resolution = drawnSize(canvases);
  const picture = framedPicture(work, scene, assets, style.targets);
  if (showsAsset(work, scene) && !picture)
    return canvases.length > 1 ? { work, resolution, core: drawnCore(canvases) } : { work };
  const { assetUsageMode: _, ...withoutAssets } = work;
  const set = filmLook(looks, style, project.styleGuide, work);
  const sceneCount = work.scenes.length;
  // safe because the scene is one of the work's
  const { layout, words } = filmWords({ name: work.productName, price: "", address: "" }, work.scenes)[scene]!;
  const design = {
    ...{ look: set.look, layout, words, isOnPicture: false, turn: scene, picture },
    // in the frames of other targets the subject lies elsewhere: nothing is drawn around it
    ...(!picture && canvases.length === 1 && { subject: shown.subject }),
    colors: sceneColors(set, scene, sceneCount, style.hasLogo),
  };
  const frame = { canvas: resolution, zone: safeZoneOf(resolution) };
  // the art of several targets lies above their common ground
  const card = layoutCard(design, frame, canvases.length > 1 ? "ground" : "page");
  return { work: withoutAssets, design: { ...card, grain: set.look.grain }, resolution };
}
