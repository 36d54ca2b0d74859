import type { Canvas } from "../../../engine/timeline/timeline.ts";
import { cleanLines } from "../../../platform/texts.ts";
import { sha256Of } from "../../../platform/values.ts";
import type { Asset } from "../../assets/assets.ts";
import { type Project, withoutBrand } from "../../projects/projects.ts";
import { canonicalJson } from "../../shared/json.ts";
import { defaultResolution } from "../../works/editor-state.ts";
import type { ScenarioScene, Work } from "../../works/works.ts";
import type { SceneDesign } from "../scene-design.ts";
import type { ShotSpec } from "./prompts.ts";

/** The inputs, other than the models, from which the files of a scene are made. */
export type SceneSource = {
  readonly project: Project;
  readonly work: Work;
  readonly scene: ScenarioScene;
  /** The image or video that the scene shows directly. */
  readonly asset?: Asset;
  /** Pictures of the product. */
  readonly references?: readonly Asset[];
  /** The work's resolution by default. */
  readonly resolution?: Canvas | undefined;
  /** The centre of the frame that all targets show, as shares of its sides; a direct image stays within it. */
  readonly core?: Canvas | undefined;
  /** The design that the local model draws in place of the one that the prompt suggests. */
  readonly design?: SceneDesign | undefined;
};

export const imageShotOf = (source: SceneSource): ShotSpec =>
  shotOf(source, { prompt: source.scene.image_prompt, instruction: source.work.imageSystemPrompt });

export const videoShotOf = (source: SceneSource): ShotSpec =>
  shotOf(source, { prompt: source.scene.video_prompt, instruction: source.work.videoSystemPrompt });

const shotOf = (
  { project: { styleGuide }, scene }: SceneSource,
  texts: Pick<ShotSpec, "prompt" | "instruction">,
): ShotSpec => ({
  ...texts,
  negativePrompt: scene.negative_prompt,
  ...(styleGuide && { styleGuide: withoutBrand(styleGuide) }),
});

export const resolutionOf = ({ work, resolution }: Pick<SceneSource, "work" | "resolution">): Canvas =>
  resolution ?? work.resolution ?? defaultResolution;

// these hashes are stored: another field or name would regenerate, and bill, every scene

/** Equal for sources that give the same image, if the model is the same. */
export const imageInputHash = (source: SceneSource): string =>
  hashOf(
    source.asset
      ? assetInputs(source.asset)
      : {
          ...shotInputs(imageShotOf(source)),
          ...{ size: resolutionOf(source), ...referenceInputs(source), ...designInput(source) },
        },
  );

/** Equal for sources that give the same video, if the model is the same. `imageSha256` is the image to animate. */
export const videoInputHash = (source: SceneSource, imageSha256?: string): string =>
  hashOf(
    source.asset?.type === "video"
      ? assetInputs(source.asset)
      : {
          ...shotInputs(videoShotOf(source)),
          ...designInput(source),
          size: resolutionOf(source),
          ...(source.core && { core: source.core }),
          seconds: source.scene.duration_seconds,
          image: imageSha256,
        },
  );

const designInput = ({ design }: SceneSource) => design && { design };

const assetInputs = ({ file }: Asset) => ({ asset: file.sha256 });

const referenceInputs = ({ references = [] }: SceneSource) =>
  references.length > 0 && { references: references.map(({ file }) => file.sha256) };

const shotInputs = ({ prompt, negativePrompt, instruction, styleGuide = {} }: ShotSpec) => ({
  prompt: cleanLines(prompt),
  negativePrompt: cleanLines(negativePrompt),
  instruction: cleanLines(instruction),
  style: Object.fromEntries(Object.entries(styleGuide).filter(([, value]) => !isEmpty(value))),
});

const isEmpty = (value: unknown) => value == null || value === "" || (Array.isArray(value) && value.length === 0);

const hashOf = (inputs: object): string => sha256Of(canonicalJson(inputs));
