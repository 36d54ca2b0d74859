import type { Overlay } from "../../../timeline/overlay.ts";
import { reframed } from "../../../timeline/reframe.ts";
import type { Source } from "../../../timeline/source.ts";
import type { Canvas } from "../../../timeline/timeline.ts";
import type { Clip } from "../../../timeline/track.ts";
import type { AspectRatio } from "../schema.ts";
import { canvasFor, type FilmTarget } from "../targets.ts";
import { applied, type LaidFilm, type LaidOverlay, type Remark, type Warning } from "../warnings.ts";
import { framedTextRules, type ShownText } from "./text-warnings.ts";

/** One of the films of a request: what is seen of it, on its own frame. */
type FramedFilm = {
  readonly canvas: Canvas;
  readonly clips: readonly Clip[];
  readonly overlays: readonly LaidOverlay[];
  readonly texts: readonly ShownText[];
};

/** What depends on a film's frame: one row a rule. */
const rules = {
  ...framedTextRules,
  source_upscaled: upscaledSources,
} satisfies Record<string, (film: FramedFilm) => readonly Remark[]>;

type ShownFilm = LaidFilm & { readonly texts: readonly ShownText[] };

/** What is to be said of the frames of all films of a request, once even if it holds for several of them. */
export function frameWarningsOf(film: ShownFilm, targets: readonly FilmTarget[]): readonly Warning[] {
  const told = targets.flatMap((target) =>
    applied(rules, framed(film, target)).map((warning) => ({ ...warning, target })),
  );
  const groups = Map.groupBy(told, ({ code, path }) => `${code} ${path}`);
  return [...groups.values()].map(together);
}

type Told = Warning & { readonly target: FilmTarget };

function together(told: readonly Told[]): Warning {
  const { path, code, message } = told[0]!; // safe because groups are not empty
  const targets = targetsIn(told);
  if (targets.length === 0) return { path, code, message };
  const sentences = [...Map.groupBy(told, (each) => each.message)];
  const said = sentences.map(([sentence, of]) => `In ${targetsIn(of).join(", ")}: ${sentence}`);
  return { path, code, message: said.join(" "), targets };
}

const targetsIn = (told: readonly Told[]): readonly AspectRatio[] =>
  told.flatMap(({ target }) => (target === "" ? [] : [target]));

function framed({ timeline, clips, overlays, texts }: ShownFilm, target: FilmTarget): FramedFilm {
  const canvas = canvasFor(target, timeline.canvas);
  const laid = overlays.filter(({ overlay }) => overlay);
  // safe because a timeline shows the overlays that were laid, in their order
  const moved = reframed(timeline, canvas).overlays.map((overlay, index) => ({ ...laid[index]!, overlay }));
  const byPath = new Map(moved.map(({ path, overlay }) => [path, overlay]));
  return { canvas, clips, overlays: moved, texts: texts.map((text) => textAs(text, byPath.get(text.path))) };
}

/** A text laid out once: elsewhere it is the same about its anchor, but for its size. */
function textAs(text: ShownText, overlay: Overlay | undefined): ShownText {
  if (overlay?.picture.kind !== "text") return text;
  const { ink, picture: asLaidOut } = text;
  const { picture } = overlay;
  const { anchor, scale = 1 } = picture;
  const along = (start: number, from: number, to: number) => to + (start - from) * scale;
  const scaled = ink && {
    x: along(ink.x, asLaidOut.anchor.x, anchor.x),
    y: along(ink.y, asLaidOut.anchor.y, anchor.y),
    ...{ width: ink.width * scale, height: ink.height * scale },
  };
  return { ...text, overlay, picture, ink: scaled };
}

/** In each direction. */
const mostUpscaled = 2;

function upscaledSources({ clips, overlays, canvas }: FramedFilm): readonly Remark[] {
  const scales = [
    ...clips.map((clip, index) => ({ path: `clips.${index}`, scale: clipScale(clip, canvas) })),
    ...overlays.map(({ path, overlay }) => ({ path, scale: overlay ? imageScale(overlay) : 1 })),
  ];
  return scales
    .filter(({ scale }) => scale > mostUpscaled)
    .map(({ path, scale }) => ({
      path,
      message: `Its source is shown ${scale.toFixed(1)} times as large as it is, and looks soft: take a larger one.`,
    }));
}

const clipScale = ({ source, fit }: Clip, canvas: Canvas) => scaleTo(source, canvas, fit === "cover" ? fit : "contain");

function imageScale({ picture, rotationDegrees, within }: Overlay): number {
  if (picture.kind !== "image") return 1;
  const { source, box, fit } = picture;
  return scaleTo(source, box, fit) * (within ? shrinkInto(within, box, rotationDegrees) : 1);
}

/** How much smaller a box gets that must lie within another, turned as it is. */
function shrinkInto(within: Canvas, { width, height }: Canvas, degrees: number): number {
  const radians = (degrees * Math.PI) / 180;
  const [across, down] = [Math.abs(Math.cos(radians)), Math.abs(Math.sin(radians))];
  const upright = { width: width * across + height * down, height: width * down + height * across };
  return Math.min(1, within.width / upright.width, within.height / upright.height);
}

type Fit = "contain" | "cover" | "stretch";

function scaleTo({ facts: { width, height } }: Source, size: Canvas, fit: Fit): number {
  if (!width || !height) return 1;
  const scales = [size.width / width, size.height / height];
  return fit === "contain" ? Math.min(...scales) : Math.max(...scales);
}
