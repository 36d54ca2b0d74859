import { z } from "zod";
import { sceneStatuses } from "../../domain/works/scene-state.ts";
import { assetUsageModes, workModes } from "../../domain/works/works.ts";
import { Prompts } from "../projects/views.ts";
import {
  height,
  Id,
  named,
  namedObject,
  Resolution,
  Seconds,
  Timestamp,
  TrackAction,
  width,
} from "../schemas/responses.ts";
import { missingAssetIds } from "../templates/views.ts";

const track = z.array(TrackAction);
const overlays = z.record(z.string(), z.looseObject({}));

const EditorState = named(
  "EditorState",
  z.looseObject({
    editorData: named(
      "EditorData",
      z.looseObject({ videoTrack: track, textTrack: track, imageTrack: track, audioTrack: track }),
    ),
    textTrack: track.describe("The same as in editorData."),
    imageTrack: track.describe("The same as in editorData."),
    textOverlays: overlays,
    imageOverlays: overlays,
    audioUrl: z.string().optional(),
    audioVolume: z.number(),
    exportSettings: named("EditorExportSettings", z.looseObject({ width, height, fps: z.number() })),
  }),
  { description: "What an editor has saved. Unknown keys are stored too." },
);

export const ScenarioScene = named(
  "ScenarioScene",
  z.looseObject({
    scene_index: z.int().min(0),
    duration_seconds: Seconds,
    image_prompt: z.string(),
    negative_prompt: z.string(),
    video_prompt: z.string(),
    text_overlay: z.string().optional(),
    voice_text: z.string().optional().describe("What a voice says during the scene."),
    transition: z.string(),
    referenceAssetIds: z.array(Id).optional().describe("Images that show the product."),
  }),
);

const GeneratedScene = named(
  "GeneratedScene",
  z.looseObject({
    sceneIndex: z.int().min(0),
    imageUrl: z.string().optional(),
    videoUrl: z.string().optional(),
    voiceUrl: z.string().optional(),
    voiceError: z.string().optional().describe("Why the last voice could not be made."),
    status: z.enum(sceneStatuses),
    error: z.string().optional(),
  }),
);

const summary = {
  id: Id,
  projectId: Id,
  name: z.string(),
  currentStep: z.int().min(0).max(4).describe("The step that an editor shows."),
  mode: z.enum(workModes),
  hasReferenceVideo: z.boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const WorkSummaries = z.array(
  namedObject("WorkSummary", { ...summary, filmId: Id.optional().describe("The film that made it.") }),
);

export const WorkVersions = namedObject("WorkVersions", {
  versions: z.array(
    namedObject("WorkVersion", {
      id: Id,
      savedAt: Timestamp,
      thumbnail: z.string().describe("The URL of a small picture of the film as it was saved."),
    }),
  ),
  count: z.int(),
});

export const Work = namedObject("Work", {
  ...summary,
  ...Prompts,
  productName: z.string(),
  productDescription: z.string(),
  targetAudience: z.string(),
  language: z.string(),
  videoDuration: Seconds.optional(),
  sceneCount: z.int().optional(),
  analysis: z.looseObject({}).nullable().describe("The analysis of the reference video."),
  scenes: z.array(ScenarioScene),
  generatedScenes: z.array(GeneratedScene),
  editorState: EditorState.optional(),
  selectedAssetIds: z.array(z.string()).optional(),
  assetUsageMode: z.enum(assetUsageModes).optional(),
  resolution: Resolution.optional(),
});

export const WorkWithTemplate = named("WorkWithTemplate", Work.extend({ missingAssetIds }));

export const ImportedWork = named(
  "ImportedWork",
  Work.extend({
    lost: z.array(z.string()).readonly().describe("Sentences about what the work cannot show."),
    missingMedia: z
      .array(z.string())
      .readonly()
      .describe("Names of files that the project does not have: upload them, and import again."),
  }),
);

const because = {
  path: z.string().describe("As in the edit, such as `timeline.tracks.0.clips.1.effect`."),
  why: z.string(),
};

export const WorkFromEdit = named(
  "WorkFromEdit",
  Work.extend({
    report: namedObject("ImportReport", {
      used: z
        .array(namedObject("UsedProperty", { path: because.path, as: z.string() }))
        .readonly()
        .describe("What became the same here, and the field that it is."),
      changed: z
        .array(namedObject("ChangedProperty", because))
        .readonly()
        .describe("What is shown in another way, and why."),
      ignored: z.array(namedObject("IgnoredProperty", because)).readonly().describe("What is not shown, and why."),
    }).describe("Each property of the edit once; a path covers what lies below it."),
    missingMedia: z
      .array(z.string())
      .readonly()
      .describe("The addresses of files that could not be had. Their places are gray, and silent."),
  }),
);

export const UploadedMedia = namedObject("UploadedMedia", {
  ok: z.literal(true),
  url: z.string().describe("The relative URL of the file."),
});

export const UploadedAudio = namedObject("UploadedAudio", {
  ok: z.literal(true),
  audioUrl: z.string().describe("The relative URL of the file."),
});
