import { sceneColors } from "../../src/domain/films/look/film-look.ts";
import {
  type Device,
  elementsOf,
  type LayoutCard,
  layoutCard,
  type SceneDesign,
  type SceneFrame,
} from "../../src/domain/films/look/layout-card.ts";
import { emsOf } from "../../src/domain/films/look/lines.ts";
import { sceneLayers } from "../../src/domain/films/look/scene-layers.ts";
import { sceneWords } from "../../src/domain/films/look/scene-words.ts";
import type { Look } from "../../src/domain/looks/looks.ts";
import { readCard } from "../../src/engine/html/card.ts";
import { boxesIn } from "../../src/engine/html-drawing/boxes.ts";
import { prepareCard } from "../../src/engine/html-drawing/draw.ts";
import type { Box } from "../../src/engine/timeline/overlay.ts";
import { safeZoneOf } from "../../src/engine/timeline/safe-zone.ts";
import type { Canvas } from "../../src/engine/timeline/timeline.ts";
import { type Color, contrastRatio, parseColor } from "../../src/platform/colors.ts";

export const facts = { name: "Foldaway", price: "$890", address: "foldaway.example" };

const known = new Map<string, ReturnType<typeof boxesIn>>();

export function boxesOf(card: LayoutCard, canvas: Canvas): ReturnType<typeof boxesIn> {
  const key = `${card.html}${card.css}`;
  const boxes = known.get(key) ?? boxesIn(card, canvas);
  known.set(key, boxes);
  return boxes;
}

export const shapes: readonly Canvas[] = [
  { width: 1080, height: 1920 },
  { width: 1080, height: 1350 },
  { width: 1080, height: 1080 },
  { width: 1920, height: 1080 },
  { width: 90, height: 160 },
];

export const scenes = {
  english: [
    "The bike that fits under a desk",
    "It folds in ten seconds",
    "No racks, no locks",
    "It has: a bell, a lock, a lamp",
    "Weighs just 11 kg",
    "“I take it on every train.” — Ana",
    "Now $890 instead of $1,090",
    "Order now",
  ],
  long: [
    "Eine Fahrradversicherung für alle, die ihr Rad wirklich jeden Tag brauchen und lieben",
    "Schadenregulierungsgarantie innerhalb von achtundvierzig Stunden, ohne Papier und ohne Anruf",
    "Keine Selbstbeteiligung, keine Mindestlaufzeit",
    "Versichert sind: Diebstahl, Vandalismus, Sturzschäden, Transport, Akku",
    "Im Schnitt 1.095 € zurück",
    "„Innerhalb eines Tages war alles geregelt, und niemand hat eine Rechnung verlangt.“ – Familie Sonnleitner",
    "Nur 8,90 € im Monat statt 12,90 €",
    "Jetzt Angebot anfordern",
  ],
  arabic: [
    "دراجة تُطوى تحت المكتب",
    "تُطوى في عشر ثوان",
    "بلا مواقف، بلا أقفال",
    "فيها: جرس، قفل، مصباح",
    "وزنها 11 كغم",
    "«آخذها في كل قطار.» — أنا",
    "الآن 890 ريال",
    "اطلب الآن",
  ],
  japanese: [
    "机の下に入る折りたたみ自転車",
    "十秒で折りたためます",
    "置き場なし、鍵なし",
    "ベル、ロック、ライト",
    "重さはわずか11キロ",
    "「毎日電車に持ち込んでいます。」— アナ",
    "48,000円から",
    "今すぐ注文",
  ],
} as const;

type Shown = { readonly look: Look; readonly canvas: Canvas; readonly text: string; readonly at: number };

/** A scene as a look sets it: its design, and its overlays. */
export async function setScene({ look, canvas, text, at }: Shown, more: Partial<SceneDesign> = {}) {
  const place = at === 0 ? "opening" : at === 7 ? "end" : "middle";
  const colors = sceneColors({ look, palette: look.palettes[0]! }, at, 8);
  const design = {
    look,
    ...sceneWords(facts, { text_overlay: text }, place),
    colors,
    isOnPicture: false,
    turn: at,
    ...more,
  };
  const frame = { canvas, zone: safeZoneOf(canvas) };
  const boxes = await boxesOf(layoutCard(design, frame), canvas);
  return {
    design,
    zone: frame.zone,
    ...sceneLayers(design, frame, boxes, { index: at, start: 2, end: 5, transition: 0.4, leaving: 0 }),
  };
}

export const subject = '<svg viewBox="0 0 32 32"><circle cx="16" cy="16" r="12" fill="#f00"/></svg>';

const withPhoto: Partial<SceneDesign> = { picture: { assetId: "asset_1", isWhole: false } };

const withScreen = (device: Device, width: number, height: number): Partial<SceneDesign> => ({
  picture: { assetId: "asset_1", isWhole: true, size: { width, height }, device },
});

const variants: readonly Partial<SceneDesign>[] = [
  ...[{}, { subject }, { isOnPicture: true }, withPhoto],
  ...[withScreen("phone", 1170, 2532), withScreen("browser", 1440, 900)],
];

type Area = ReturnType<typeof areaOf>;

/** Boxes are rounded to pixels. */
const tolerance = 2;

const isInside = ({ left, right, top, bottom }: Area, { x, y, width, height }: Box): boolean =>
  left >= x - tolerance && right <= x + width + tolerance && top >= y - tolerance && bottom <= y + height + tolerance;

const areApart = (one: Area, other: Area): boolean =>
  one.right <= other.left + tolerance ||
  other.right <= one.left + tolerance ||
  one.bottom <= other.top + tolerance ||
  other.bottom <= one.top + tolerance;

type Overlay = { readonly [name in "centerX" | "centerY" | "maxWidth" | "maxHeight" | "padding"]?: number };

function areaOf({ centerX = 0, centerY = 0, maxWidth = 0, maxHeight = 0, padding = 0 }: Overlay, canvas: Canvas) {
  const [x, y] = [canvas.width / 2 + centerX, canvas.height / 2 + centerY];
  const [width, height] = [maxWidth / 2 + padding, maxHeight / 2 + padding];
  return { left: x - width, right: x + width, top: y - height, bottom: y + height };
}

type Sized = Overlay & { readonly width: number; readonly height: number };

const sized = ({ width, height, ...place }: Sized): Overlay => ({ ...place, maxWidth: width, maxHeight: height });

/** What is wrong with the places of words: lost ones, those outside of the safe zone or on a photo, and those over each other. */
export async function wrongPlaces(
  look: Look,
  canvases: readonly Canvas[],
  languages: readonly (keyof typeof scenes)[],
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const canvas of canvases) {
    for (const language of languages) {
      for (const [at, text] of scenes[language].entries()) {
        for (const [variant, more] of variants.entries()) {
          const { design, texts: placed, images, zone } = await setScene({ look, canvas, text, at }, more);
          const where = `${canvas.width}x${canvas.height} ${language} ${design.layout} ${variant}`;
          const { initial, ...words } = design.words;
          const lost = Object.values(words).filter(Boolean).length - placed.length;
          // a look may do without the initial
          if (lost !== 0 && !(initial && lost === -1)) wrong.push(`${where}: ${lost} lost`);
          const areas = placed.map(({ overlay }) => areaOf(overlay as Overlay, canvas));
          const photos = images.map(({ overlay }) => areaOf(sized(overlay as Sized), canvas));
          for (const [index, one] of areas.entries()) {
            if (!photos.every((photo) => areApart(one, photo))) wrong.push(`${where}: text ${index} lies on the photo`);
            if (!isInside(one, zone)) wrong.push(`${where}: text ${index} leaves the zone ${JSON.stringify(one)}`);
            const other = areas.slice(index + 1).findIndex((each) => !areApart(one, each));
            if (other >= 0) wrong.push(`${where}: texts ${index} and ${index + 1 + other} overlap`);
          }
        }
      }
    }
  }
  return wrong;
}

/** Pages are drawn this much smaller where only their colors count. */
const drawnScale = 0.25;

const minContrast = 4.5;

/** The most of the ground under a text on which its color is not readable. */
const maxPale = 0.1;

type Laid = Record<"text" | "fontColor" | "align" | "verticalAlign", string> &
  Record<"fontSize" | "lineHeight" | "maxWidth" | "maxHeight" | "centerX" | "centerY", number> & {
    readonly spans?: readonly { readonly text: string; readonly color?: string; readonly background?: string }[];
    readonly background?: string;
  };

/** About where the letters of a text lie. */
function lettersOf(overlay: Laid, canvas: Canvas): Box {
  const { fontSize, lineHeight, maxWidth, maxHeight, align, verticalAlign } = overlay;
  const lines = (overlay.text ?? overlay.spans?.[0]?.text ?? "").split("\n");
  const width = Math.min(maxWidth, Math.max(...lines.map(emsOf)) * fontSize);
  const height = lines.length * fontSize * lineHeight;
  const [middleX, middleY] = [canvas.width / 2 + overlay.centerX, canvas.height / 2 + overlay.centerY];
  const sideways = (maxWidth - width) / 2;
  const upright = (maxHeight - height) / 2;
  return {
    ...{ width, height },
    x: middleX - width / 2 + (align === "left" ? -sideways : align === "right" ? sideways : 0),
    y: middleY - height / 2 + (verticalAlign === "top" ? -upright : verticalAlign === "bottom" ? upright : 0),
  };
}

const noFiles = { image: () => Promise.reject(new Error("no image")), localPathOf: () => Promise.resolve("") };

/** Draws what lies under the words of a scene. Beside a photo, its parts have another page than its art. */
async function shownUnder(design: SceneDesign, frame: SceneFrame): Promise<(x: number, y: number) => Color> {
  const { canvas } = frame;
  const drawn = async (card: LayoutCard) => {
    const content = { ...card, kind: "html", box: { x: 0, y: 0, ...canvas }, fitsText: false, fonts: {}, images: {} };
    const drawing = await prepareCard(content as never, drawnScale, noFiles);
    const bitmap = await drawing.at(0);
    const { data } = bitmap.getContext("2d").getImageData(0, 0, bitmap.width, bitmap.height);
    return (x: number, y: number): Color => {
      const [red = 0, green = 0, blue = 0] = data.subarray(4 * (y * bitmap.width + x));
      return { red, green, blue, alpha: 1 };
    };
  };
  const whole = layoutCard(design, frame);
  const all = await drawn(whole);
  if (!design.picture) return all;
  const hidden = elementsOf(readCard(whole)).map(({ name }) => `[data-box="${name}"],[data-box="${name}"] *`);
  const bare = await drawn({ ...whole, css: `${whole.css}${hidden.join(",")}{visibility:hidden}` });
  const art = await drawn(layoutCard(design, frame, "page"));
  return (x, y) => {
    const color = all(x, y);
    return contrastRatio(color, bare(x, y)) > 1.01 ? color : art(x, y);
  };
}

/** Words of which a part stands out. */
const highlighted = [
  "The second coffee is free",
  "Bring your friends, free for students",
  "At your door in 45 minutes",
];

/** The texts of scenes that the ground drawn under them makes hard to read. */
export async function paleWords(look: Look, canvases: readonly Canvas[]): Promise<readonly string[]> {
  const pale: string[] = [];
  for (const canvas of canvases) {
    for (const [index, text] of [...scenes.english, ...scenes.english, ...highlighted, ...highlighted].entries()) {
      const at = index % scenes.english.length;
      // also beside a photo, which covers the end card of no film
      const isBeside = index >= scenes.english.length && at < scenes.english.length - 1;
      const scene = { look, canvas, text, at };
      const { design, zone, texts } = await setScene(scene, isBeside ? withPhoto : {});
      const colorAt = await shownUnder(design, { canvas, zone });
      for (const overlay of texts.map((each) => each.overlay as Laid).filter((each) => !each.background)) {
        const { x, y, width, height } = lettersOf(overlay, canvas);
        const colors = (overlay.spans ?? []).flatMap(({ color, background }) => (color && !background ? [color] : []));
        const inks = [overlay.fontColor, ...colors].map((color) => parseColor(color)!);
        const [left, top] = [Math.max(0, Math.round(x * drawnScale)), Math.max(0, Math.round(y * drawnScale))];
        const columns = Math.min(Math.round(canvas.width * drawnScale), Math.round((x + width) * drawnScale)) - left;
        const rows = Math.min(Math.round(canvas.height * drawnScale), Math.round((y + height) * drawnScale)) - top;
        const pixels = Array.from({ length: columns * rows }, (_, index) =>
          colorAt(left + (index % columns), top + Math.floor(index / columns)),
        );
        const share =
          pixels.filter((ground) => inks.some((ink) => contrastRatio(ink, ground) < minContrast)).length /
          pixels.length;
        if (!(share <= maxPale))
          pale.push(`${canvas.width}x${canvas.height} ${design.layout}: ${Math.round(100 * share)} %`);
      }
    }
  }
  return pale;
}
