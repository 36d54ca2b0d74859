import type { ReadContext } from "../reading/draft.ts";
import { changed, ignored, type Property, used } from "../reading/property.ts";
import { flag, never, noted, number, readBy, type Table, within } from "../reading/rows.ts";
import { glTransition } from "./transitions.ts";

export type Config = {
  width?: number;
  height?: number;
  fps?: number;
  format: "mp4" | "gif" | "webm";
  isDraft: boolean;
  clips: Property[];
  defaults: Defaults;
  keepsSound: boolean;
  repeatsAudio: boolean;
  clipsVolume: number;
  outputVolume: number;
  audioPath?: Property;
  tracks: Property[];
};

export type TransitionDraft = { name: string; seconds: number } | null;

export type Defaults = {
  duration: number;
  transition: TransitionDraft | undefined;
  layer: Property | undefined;
  layerType: Property | undefined;
};

type ConfigTable = Table<Config, ReadContext>;

const tool = noted<Config, ReadContext>("nothing: it is about the program");

const transitionRows: Table<{ value: { name: string; seconds: number } }, ReadContext> = {
  name: (property, draft) => {
    const name = property.text ?? "random";
    draft.value.name = name;
    const { kind, isSame } = glTransition(name);
    return isSame ? used(`transition: ${kind}`) : changed(`Is the transition ${kind}, the nearest one.`);
  },
  duration: number("transitionDuration", { min: 0, max: 3600 }, (draft, value) => {
    draft.value.seconds = value;
  }),
  easing: (property) => (property.text === "linear" ? used("linear") : changed("Transitions are linear.")),
  params: (property) =>
    property.keys.length === 0 ? used("nothing") : changed("Transitions have no parameters: the nearest one is taken."),
  audioOutCurve: (property) => (property.text === "tri" ? used("a linear fade") : changed("Sounds fade linearly.")),
  audioInCurve: (property) => (property.text === "tri" ? used("a linear fade") : changed("Sounds fade linearly.")),
};

export function transitionOf(property: Property, context: ReadContext): TransitionDraft | undefined {
  if (property.raw === null) {
    property.mark(used("transition: cut"));
    return null;
  }
  if (!property.isObject) return undefined;
  const draft = { value: { name: "random", seconds: 0.5 } };
  readBy(transitionRows, property, draft, context);
  return property.at("duration").number === 0 ? null : draft.value;
}

/** What each property of the configuration becomes. */
export const configRows: ConfigTable = {
  outPath: (property, config) => {
    const extension = /\.(gif|webm)$/i.exec(property.text ?? "")?.[1]?.toLowerCase();
    if (extension === "gif" || extension === "webm") config.format = extension;
    return used("options.format");
  },
  width: number("options.width", { min: 16, max: 4096 }, (config, value) => {
    config.width = value;
  }),
  height: number("options.height", { min: 16, max: 4096 }, (config, value) => {
    config.height = value;
  }),
  fps: number("options.fps", { min: 1, max: 120 }, (config, value) => {
    config.fps = value;
  }),
  fast: flag("options.quality", (config, value) => {
    config.isDraft = value;
  }),
  customOutputArgs: () => changed("Is the quality of the export: options.quality."),
  clips: (property, config) => {
    config.clips = [...property.items];
    return property.items.length > 0 ? undefined : used("nothing");
  },
  defaults: (property, config, context) => {
    readBy<Defaults, ReadContext>(
      {
        duration: number("end of clips", { min: 0.01, max: 3600 }, (defaults, value) => {
          defaults.duration = value;
        }),
        transition: (each, defaults) => {
          defaults.transition = transitionOf(each, context);
          return undefined;
        },
        layer: (each, defaults) => {
          defaults.layer = each;
          return used("the layers");
        },
        layerType: (each, defaults) => {
          defaults.layerType = each;
          return used("the layers of these types");
        },
      },
      property,
      config.defaults,
      context,
    );
    if (property.at("transition").raw === null) {
      config.defaults.transition = null;
      property.at("transition").mark(used("transition: cut"));
    }
    return property.isObject && property.keys.length > 0 ? undefined : used("nothing");
  },
  audioTracks: (property, config) => {
    config.tracks = [...property.items];
    return property.items.length > 0 ? undefined : used("nothing");
  },
  audioFilePath: (property, config) => {
    config.audioPath = property;
    return undefined;
  },
  backgroundAudioPath: (property, config) => {
    config.audioPath = property;
    return undefined;
  },
  loopAudio: flag("repeat", (config, value) => {
    config.repeatsAudio = value;
  }),
  keepSourceAudio: flag("volume", (config, value) => {
    config.keepsSound = value;
  }),
  clipsAudioVolume: (property, config) => {
    const value = property.number;
    if (value === undefined) return ignored("Must be a number.");
    config.clipsVolume = Math.max(0, value);
    return changed("Is a volume beside that of the loudest sound.");
  },
  outputVolume: (property, config) => {
    const decibels = /^\s*(-?\d+(?:\.\d+)?)\s*dB\s*$/i.exec(property.text ?? "")?.[1];
    const value = decibels === undefined ? property.number : 10 ** (Number(decibels) / 20);
    if (value === undefined) return ignored("Must be a number, or decibels such as -10dB.");
    config.outputVolume = within(value, { min: 0, max: 4 });
    return used("volume");
  },
  audioNorm: never("Sounds keep their volumes: audio.normalize of an export makes all equally loud."),
  allowRemoteRequests: tool,
  enableFfmpegLog: tool,
  verbose: tool,
  logTimes: tool,
  keepTmp: tool,
  ffmpegPath: tool,
  ffprobePath: tool,
};
