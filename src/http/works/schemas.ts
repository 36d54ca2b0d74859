import { z } from "zod";
import { maxReferenceAssets } from "../../domain/ai/generation/references.ts";
import { FramesPerSecond, named, optional, SceneIndex, Volume } from "../../domain/shared/schemas.ts";
import { maxOverlayIdCharacters } from "../../domain/templates/templates.ts";
import { maxEditorStateKibibytes } from "../../domain/works/editor-state.ts";
import { sceneStatuses } from "../../domain/works/scene-state.ts";
import { assetUsageModes, workModes } from "../../domain/works/works.ts";
import { promptFields } from "../projects/views.ts";
import { Duration, Id, Name, Prompt, Resolution, SameId, textUpTo, Url, withDefault } from "../schemas/common.ts";
import { AnyObject, jsonUpTo, mapOf, openObject, readonlyBody } from "../schemas/objects.ts";

const maxItems = 5000;
const Text = textUpTo(20_000);
const Label = textUpTo(200);
const TimeSeconds = z.number().min(0).max(86_400);

/** The id of an applied template's overlay begins with the template's id. */
const ActionId = z
  .string()
  .min(1)
  .max(maxOverlayIdCharacters + 100);

const TrackAction = named(
  "NewTrackAction",
  openObject({
    id: ActionId,
    start: TimeSeconds,
    end: TimeSeconds,
    sceneIndex: optional(z.int()),
    trimStart: optional(z.number()),
    trimEnd: optional(z.number()),
    transitionType: optional(Label),
    transitionDuration: optional(z.number()),
  }),
);

const TrackActions = optional(z.array(TrackAction).max(maxItems));
const Overlays = optional(mapOf(AnyObject, maxItems));

const EditorData = named(
  "NewEditorData",
  openObject({
    videoTrack: TrackActions,
    textTrack: TrackActions,
    imageTrack: TrackActions,
    audioTrack: TrackActions,
  }),
);

const EditorExportSettings = named(
  "NewEditorExportSettings",
  openObject({
    width: optional(Resolution.shape.width),
    height: optional(Resolution.shape.height),
    fps: optional(FramesPerSecond),
  }),
);

/** A response shows the text and image tracks of `editorData` twice. */
export function withoutCopies(state: unknown): unknown {
  if (typeof state !== "object" || state === null || !("editorData" in state && state.editorData)) return state;
  return { ...state, textTrack: undefined, imageTrack: undefined };
}

const EditorState = named(
  "NewEditorState",
  jsonUpTo(
    maxEditorStateKibibytes,
    openObject({
      editorData: optional(EditorData),
      textTrack: TrackActions,
      imageTrack: TrackActions,
      textOverlays: Overlays,
      imageOverlays: Overlays,
      audioUrl: optional(Url),
      audioVolume: optional(Volume),
      exportSettings: optional(EditorExportSettings),
    }),
    { field: "editorState", counted: withoutCopies },
  ),
  {
    description:
      "What an editor saves, at most 2 MiB. Unknown keys are stored too; missing ones get defaults. `captions`, `voice`, `audio`, `layers` and `sounds` are as in an export; an export that takes its clips from here takes them too. The URL and the volume of the music are `audioUrl` and `audioVolume`.",
  },
);

const textOr = (fallback: string) => withDefault(Text, fallback);

export const ScenarioScene = named(
  "NewScenarioScene",
  openObject({
    scene_index: optional(SceneIndex),
    duration_seconds: TimeSeconds,
    image_prompt: textOr(""),
    negative_prompt: textOr(""),
    video_prompt: textOr(""),
    text_overlay: optional(Text),
    voice_text: optional(Text).describe("What a voice says during the scene."),
    transition: textOr("cut"),
    referenceAssetIds: optional(z.array(Id).max(maxReferenceAssets)).describe(
      "Images of the project that show the product: they are sent to every model that accepts reference images.",
    ),
  }),
);

/** A scene without a number gets its index in the list. */
const ScenarioScenes = named(
  "NewScenarioScenes",
  jsonUpTo(
    2048,
    z
      .array(ScenarioScene)
      .max(500)
      .transform((scenes) => scenes.map((scene, index) => ({ ...scene, scene_index: scene.scene_index ?? index }))),
    { field: "scenes" },
  ),
  { description: "At most 500 scenes and 2 MiB. A scene is identified by its index in the list." },
);

const GeneratedScene = named(
  "NewGeneratedScene",
  openObject({
    sceneIndex: SceneIndex,
    imageUrl: optional(Url),
    videoUrl: optional(Url),
    voiceUrl: optional(Url),
    voiceError: optional(Text),
    status: z.enum(sceneStatuses).default("pending"),
    error: optional(Text),
  }),
);

const GeneratedScenes = z
  .array(GeneratedScene)
  .max(500)
  .refine(
    (scenes) => new Set(scenes.map(({ sceneIndex }) => sceneIndex)).size === scenes.length,
    "Must have one entry per scene.",
  );

/** Every field is optional; null clears it or restores its default. */
const fields = {
  name: Name.nullish().describe("`New Work` by default."),
  ...promptFields(() => Prompt.nullish()),
  currentStep: z.int().min(0).max(4).nullish().describe("The step that an editor shows; 0 by default."),
  hasReferenceVideo: z.boolean().nullish(),
  mode: z.enum(workModes).nullish().describe("`style_transfer` by default."),
  productName: Text.nullish(),
  productDescription: Text.nullish(),
  targetAudience: Text.nullish(),
  language: Label.nullish(),
  videoDuration: Duration.nullish(),
  sceneCount: z.int().min(1).max(500).nullish().describe("How many scenes a scenario gets."),
  analysis: AnyObject.nullish().describe("The analysis of the reference video."),
  scenes: ScenarioScenes.nullish(),
  generatedScenes: GeneratedScenes.nullish(),
  editorState: EditorState.nullish(),
  selectedAssetIds: z.array(Id).max(1000).nullish().describe("Assets that the generation uses."),
  assetUsageMode: z
    .enum(assetUsageModes)
    .nullish()
    .describe("`reference`: the assets guide the generation; `direct`: the scenes show them."),
  resolution: Resolution.nullish().describe("Pixels, even; 1080×1920 by default."),
};

export const NewWork = named("NewWork", readonlyBody(z.object(fields)));
const ChangedFields = z.object({ ...fields, createdAt: z.unknown().optional(), id: SameId, projectId: SameId });

/** A body with `createdAt` is a whole work as editors save it: an absent duration or scene count was cleared. */
function clearMissing({ createdAt, ...changes }: z.output<typeof ChangedFields>) {
  if (typeof createdAt !== "number") return changes;
  const { videoDuration = null, sceneCount = null } = changes;
  return { ...changes, videoDuration, sceneCount };
}

export const WorkChanges = named("WorkChanges", readonlyBody(ChangedFields.transform(clearMissing)));
