import { invalid } from "../../../errors.ts";
import type { FillInput } from "../../exports/request/layers/inputs.ts";
import type { Draft, EditService, ReadContext, ReadEdit, SoundDraft } from "../reading/draft.ts";
import { fontKey } from "../reading/fonts.ts";
import { changed, ignored, type MergeValues, type Property, used } from "../reading/property.ts";
import { color, never, noted, number, type Row, readBy, rounded, type Table, within } from "../reading/rows.ts";
import { contentLength, readElements } from "./elements.ts";
import { gradientOf, isGradient, type Size, secondsOf } from "./values.ts";

type Source = {
  width?: number;
  height?: number;
  fps: number;
  duration?: number;
  format: "mp4" | "gif" | "png" | "jpg";
  snapshot?: number;
  background?: string;
  /** The fill of a shape below all. */
  ground?: FillInput;
  elements?: Property;
  source?: Property;
};

type SourceTable = Table<Source, ReadContext>;

const ownSettings: Row<Source, ReadContext> = () => changed("Is the quality of the export: options.quality.");

const side = (name: "width" | "height"): Row<Source, ReadContext> =>
  number(`options.${name}`, { min: 16, max: 4096 }, (source, value) => {
    source[name] = value;
  });

const fonts: Row<Source, ReadContext> = (property, _, context) => {
  const list = property.isObject ? [property] : property.items;
  for (const font of list) {
    const file = font.at("source").isAbsent ? undefined : context.media(font.at("source"), "font");
    const family = font.at("family").text ?? "";
    if (file?.assetId && family) context.fonts.set(fontKey(family), file.assetId);
    for (const key of ["family", "weight", "style"]) font.at(key).mark(used("fontFamily"));
  }
  return list.length > 0 ? undefined : used("nothing");
};

/** What each property of a source becomes. */
const sourceRows: SourceTable = {
  output_format: (property, source) => {
    const format = (["mp4", "gif", "png", "jpg"] as const).find((name) => name === property.text);
    if (!format) return ignored("Must be one of: mp4, gif, png, jpg.");
    source.format = format;
    return used("options.format");
  },
  width: side("width"),
  height: side("height"),
  frame_rate: number("options.fps", { min: 1, max: 120 }, (source, value) => {
    source.fps = value;
  }),
  duration: (property, source) => {
    const seconds = secondsOf(property);
    if (seconds === undefined || seconds <= 0) return ignored("Must be a number of seconds.");
    source.duration = within(seconds, { min: 0.01, max: 3600 });
    return used("options.duration");
  },
  snapshot_time: (property, source) => {
    const seconds = secondsOf(property);
    if (seconds === undefined) return ignored("Must be a number of seconds.");
    source.snapshot = within(seconds, { min: 0, max: 3600 });
    return used("options.poster, or options.at");
  },
  snapshot_location: never("The picture is a file beside the film: options.poster."),
  fill_color: (property, source) => {
    if (!isGradient(property)) {
      return color<Source, ReadContext>("options.background", (draft, value) => {
        draft.background = value;
      })(property, source, noContext);
    }
    const frame = { width: source.width ?? 1, height: source.height ?? 1 };
    const fill = gradientOf(property, source.source ?? property, frame);
    if (!fill) return ignored("Must have two colors or more.");
    source.ground = fill;
    return used("a shape below all");
  },
  fill_mode: noted("fill.type"),
  fill_x0: noted("fill.angle"),
  fill_y0: noted("fill.angle"),
  fill_x1: noted("fill.angle"),
  fill_y1: noted("fill.angle"),
  fill_radius: () => changed("A radial gradient reaches the corners."),
  crf: ownSettings,
  gif_quality: ownSettings,
  gif_compression: ownSettings,
  emoji_style: (property) => (property.text === "google" ? used("the emoji") : changed("Emoji are those of Noto.")),
  loop: noted("nothing: players repeat"),
  fonts,
  elements: (property, source) => {
    source.elements = property;
    return undefined;
  },
  id: noted("nothing: a name"),
  name: noted("nothing: a name"),
};

// safe because rows of colors do not use it
const noContext = undefined as unknown as ReadContext;

const template = never<Source, ReadContext>("The source itself is read: a template of that service is not known here.");

const scaled = never<Source, ReadContext>("The film has the size of its source: give the export another one.");

/** What each property of a request for a render becomes; its source may be the whole of it. */
const renderRows: SourceTable = {
  ...sourceRows,
  source: (property, source, context) => {
    if (!property.isObject) return ignored("Must be an object.");
    source.source = property;
    readBy(sourceRows, property, source, context);
    return undefined;
  },
  modifications: () => undefined,
  template_id: template,
  templateId: template,
  tags: noted("nothing: names"),
  template_tags: noted("nothing: names"),
  metadata: noted("nothing: it is for the caller"),
  webhook_url: never("A webhook of the export tells when it is done."),
  webhookUrl: never("A webhook of the export tells when it is done."),
  render_scale: scaled,
  renderScale: scaled,
  max_width: scaled,
  maxWidth: scaled,
  max_height: scaled,
  maxHeight: scaled,
};

type Fields = { [name: string]: unknown };

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Modifications of text and files become placeholders; those of other properties are put into the source. */
function prepare(body: { readonly [name: string]: unknown }) {
  const modifications = body.modifications;
  const source = isFields(body.source) ? body.source : body;
  if (!Array.isArray(source.elements)) {
    throw invalid(
      "source",
      "Must be the source of the film, with its elements: templates of that service are not known here.",
    );
  }
  const values = new Map<string, string>();
  if (!isFields(modifications) || Object.keys(modifications).length === 0) return { edit: body, values };
  const edit = structuredClone(body) as Fields;
  const changedSource = (isFields(edit.source) ? edit.source : edit) as { elements: unknown[] };
  const elements = elementsIn(changedSource.elements);
  for (const [name, value] of Object.entries(modifications)) {
    const text = typeof value === "string" || typeof value === "number" ? String(value) : undefined;
    const target = targetOf(name, elements);
    if (target === undefined || text === undefined) continue;
    const { element, key, placeholder } = target;
    const isOpen = key === "text" || key === "source";
    if (isOpen) values.set(placeholder, text.slice(0, 10_000));
    element[key] = isOpen ? `{{${placeholder}}}` : value;
  }
  return { edit, values };
}

function elementsIn(list: readonly unknown[], depth = 0): readonly Fields[] {
  if (depth > 20) return [];
  return list.flatMap((each) =>
    isFields(each) ? [each, ...(Array.isArray(each.elements) ? elementsIn(each.elements, depth + 1) : [])] : [],
  );
}

/** "Title" is the text or the file of the element Title, and "Title.fill_color" its color. */
function targetOf(name: string, elements: readonly Fields[]) {
  const find = (wanted: string) => elements.find((element) => element.name === wanted || element.id === wanted);
  const whole = find(name);
  const placeholder = name.replaceAll(/[{}]/g, "").slice(0, 200).trim() || "value";
  if (whole) return { element: whole, key: whole.type === "text" ? "text" : "source", placeholder };
  const dot = name.lastIndexOf(".");
  const element = dot > 0 ? find(name.slice(0, dot)) : undefined;
  const key = name.slice(dot + 1);
  const isSafe = /^[a-z][a-z0-9_]{0,60}$/.test(key) && key !== "elements";
  return element && isSafe ? { element, key, placeholder } : undefined;
}

function markModifications(root: Property, source: Property): void {
  const list = root.at("modifications");
  if (!list.isObject) return;
  if (list.keys.length === 0) list.mark(used("nothing"));
  const elements = isFields(source.raw) && Array.isArray(source.raw.elements) ? elementsIn(source.raw.elements) : [];
  for (const name of list.keys) {
    const target = targetOf(name, elements);
    const isOpen = target?.key === "text" || target?.key === "source";
    list
      .at(name)
      .mark(
        target === undefined
          ? ignored("No element has this name.")
          : used(isOpen ? `the value of {{${target.placeholder}}}` : `${target.key} of its element`),
      );
  }
}

const stillSeconds = 5;

const even = (value: number): number => within(2 * Math.round(value / 2), { min: 16, max: 4096 });

/** The size of the first picture or video, if the source names none. */
function firstSize(elements: Property, context: ReadContext): Size {
  for (const element of elements.items) {
    const type = element.at("type").text;
    if (type !== "image" && type !== "video") continue;
    const media = context.media(element.at("source"), type);
    if (media?.width && media.height) return { width: media.width, height: media.height };
  }
  return { width: 1280, height: 720 };
}

function readEdit(root: Property, context: ReadContext, values: MergeValues): ReadEdit {
  const source: Source = { fps: 30, format: "mp4" };
  readBy(renderRows, root, source, context);
  const property = source.source ?? root;
  markModifications(root, property);
  const list = source.elements ?? property.at("elements");
  const size = firstSize(list, context);
  const frame = { width: even(source.width ?? size.width), height: even(source.height ?? size.height) };
  const length = source.duration ?? contentLength(list, context) ?? stillSeconds;
  const sounds: SoundDraft[] = [];
  const placeholders = dynamicPlaceholders(values);
  const parent = { size: frame, frame, length, start: 0, depth: 0 };
  let ids = 0;
  const drafts = readElements(list, parent, {
    ...context,
    sounds,
    placeholderOf: placeholders.of,
    nextId: () => `mask-${++ids}`,
  });
  const ground: readonly Draft[] = source.ground
    ? [{ from: property.at("fill_color"), layer: { type: "shape", shape: "rect", fill: source.ground } }]
    : [];
  const isPicture = source.format === "png" || source.format === "jpg";
  const at = rounded(within(source.snapshot ?? 0, { min: 0, max: Math.max(0, length - 0.1) }));
  return {
    ...frame,
    fps: source.fps,
    duration: rounded(length),
    options: {
      background: source.background ?? "#000000",
      ...(source.format !== "mp4" && { format: source.format }),
      ...(isPicture ? { at } : source.snapshot !== undefined && { poster: { at } }),
    },
    tracks: [ground, ...tracksOf(drafts)],
    sounds,
    values: placeholders.values,
  };
}

/** The drafts of the lowest track are one list, because they may become clips. */
function tracksOf(drafts: readonly Draft[]): readonly (readonly Draft[])[] {
  const trackOf = ({ from }: Draft) => from.at("track").number;
  const [first] = drafts;
  const track = first && trackOf(first);
  const count = track === undefined ? 1 : drafts.findIndex((draft) => trackOf(draft) !== track);
  const lowest = count < 0 ? drafts.length : count;
  return [drafts.slice(0, lowest), drafts.slice(lowest)];
}

/** Elements that are marked as dynamic are placeholders with their own content as values. */
function dynamicPlaceholders(modified: MergeValues) {
  const values = new Map(modified);
  const of = (element: Property, own: string): string | undefined => {
    const content = element.at(own).template;
    const name = (element.at("name").text ?? element.at("id").text ?? "").replaceAll(/[{}]/g, "").trim().slice(0, 200);
    if (element.at("dynamic").flag !== true || !name || content === undefined || content.includes("{{"))
      return undefined;
    if (own === "source") return name;
    const key = [name, `${name} 2`, `${name} 3`].find((each) => !values.has(each) || values.get(each) === content);
    if (key === undefined) return undefined;
    values.set(key, content);
    return key;
  };
  return { values, of };
}

/** Edits of Creatomate: a source, or a request for a render with its source and modifications. */
export const creatomate: EditService = { prepare, read: readEdit };
