import { z } from "zod";
import { FramesPerSecond, optional, SceneIndex, Volume } from "../../domain/shared/schemas.ts";
import { assetUsageModes, sceneStatuses, workModes } from "../../domain/works/works.ts";
import {
  AnyObject,
  Duration,
  Id,
  mapOf,
  Name,
  openObject,
  Prompt,
  Resolution,
  readonlyBody,
  SameId,
  textUpTo,
  Url,
  withDefault,
} from "./schemas.ts";

const maxRows = 5000;
const Words = textUpTo(20_000);
const Label = textUpTo(200);
const Moment = z.number().min(0).max(86_400);

const TrackAction = openObject({
  id: Id,
  start: Moment,
  end: Moment,
  sceneIndex: optional(z.int()),
  trimStart: optional(z.number()),
  trimEnd: optional(z.number()),
  transitionType: optional(Label),
  transitionDuration: optional(z.number()),
});

const Actions = optional(z.array(TrackAction).max(maxRows));
const Overlays = optional(mapOf(AnyObject, maxRows));

const EditorState = openObject({
  editorData: optional(
    openObject({ videoTrack: Actions, textTrack: Actions, imageTrack: Actions, audioTrack: Actions }),
  ),
  textTrack: Actions,
  imageTrack: Actions,
  textOverlays: Overlays,
  imageOverlays: Overlays,
  audioUrl: optional(Url),
  audioVolume: optional(Volume),
  exportSettings: optional(
    openObject({
      width: optional(Resolution.shape.width),
      height: optional(Resolution.shape.height),
      fps: optional(FramesPerSecond),
    }),
  ),
});

const wordsOr = (fallback: string) => withDefault(Words, fallback);

const ScenarioScene = openObject({
  scene_index: SceneIndex,
  duration_seconds: Moment,
  image_prompt: wordsOr(""),
  negative_prompt: wordsOr(""),
  video_prompt: wordsOr(""),
  text_overlay: Words.nullable().default(null),
  transition: wordsOr("cut"),
});

const GeneratedScene = openObject({
  sceneIndex: SceneIndex,
  imageUrl: optional(Url),
  videoUrl: optional(Url),
  status: z.enum(sceneStatuses).default("pending"),
  error: optional(Words),
});

const GeneratedScenes = z
  .array(GeneratedScene)
  .max(500)
  .refine(
    (scenes) => new Set(scenes.map(({ sceneIndex }) => sceneIndex)).size === scenes.length,
    "Must have one entry a scene.",
  );

/** Every field may be left out; null clears it, or brings its default back. */
const fields = {
  name: Name.nullish(),
  systemPrompt: Prompt.nullish(),
  analyzerPrompt: Prompt.nullish(),
  imageSystemPrompt: Prompt.nullish(),
  videoSystemPrompt: Prompt.nullish(),
  currentStep: z.int().min(0).max(4).nullish(),
  mode: z.enum(workModes).nullish(),
  productName: Words.nullish(),
  productDescription: Words.nullish(),
  targetAudience: Words.nullish(),
  language: Label.nullish(),
  videoDuration: Duration.nullish(),
  sceneCount: z.int().min(1).max(500).nullish(),
  analysis: AnyObject.nullish(),
  scenes: z.array(ScenarioScene).max(500).nullish(),
  generatedScenes: GeneratedScenes.nullish(),
  editorState: EditorState.nullish(),
  selectedAssetIds: z.array(Id).max(1000).nullish(),
  assetUsageMode: z.enum(assetUsageModes).nullish(),
  resolution: Resolution.nullish(),
};

export const NewWork = readonlyBody(z.object(fields));
export const WorkChanges = readonlyBody(z.object({ ...fields, id: SameId, projectId: SameId }));
