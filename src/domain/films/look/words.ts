import { cleanText } from "../../shared/texts.ts";
import type { ScenarioScene } from "../../works/works.ts";
import type { SceneColors } from "./design.ts";
import { lineHeight, setLarge } from "./lines.ts";
import {
  heightOf,
  type Line,
  leavingSeconds,
  type Placed,
  placeGroup,
  settledLines,
  type TitleFrame,
} from "./titles.ts";

/** What the words of a film stand on, and what they say besides its scenario. */
type FilmWords = {
  readonly name: string;
  /** Where the product is found: the host of its page. */
  readonly address: string;
  readonly price: string;
  /** An image of the project, in place of the initial. */
  readonly logo?: { readonly assetId: string; readonly ratio: number };
  /** Pictures that are not made for words: these stand in boxes. */
  readonly onPictures: boolean;
  readonly isCaptioned: boolean;
  readonly hasObject: boolean;
  /** The film says at the top that a machine made parts of it. */
  readonly isLabelled: boolean;
  /** Other targets show the same words in less height. */
  readonly isShared: boolean;
};

type WordsOfScene = {
  readonly scene: ScenarioScene;
  readonly place: "opening" | "middle" | "end";
  readonly index: number;
  readonly start: number;
  readonly end: number;
  readonly colors: SceneColors;
};

/** The words of a scene as overlays, in the safe zone and beside the product. */
export function sceneWords(frame: TitleFrame, film: FilmWords, shown: WordsOfScene): readonly Placed[] {
  if (shown.place === "end") return endCard(frame, film, shown);
  const lines = shown.place === "opening" ? openingLines(frame, film, shown) : middleLines(frame, film, shown);
  if (lines.length === 0) return [];
  const height = heightOf(lines);
  const { zone, unit } = frame;
  // above what is drawn: a product stands high; where the frame is low, shapes come near
  const isAbove = film.hasObject || film.onPictures;
  const share = frame.isTall && !film.isShared ? 0.5 : 0.25;
  const top = isAbove ? zone.y + (film.isLabelled ? labelHeight : 8) * unit : zone.y + (zone.height - height) * share;
  // a caption begins with the next scene
  const end = shown.end - (film.isCaptioned ? leavingSeconds : 0);
  return placeGroup(frame, { id: `words-${shown.index}`, end, top, lines, stays: false });
}

const labelHeight = 92;

function roomOf({ zone, unit, isTall }: TitleFrame, { hasObject, onPictures, isShared }: FilmWords) {
  const free = isTall && !isShared ? 780 : 500;
  const withObject = isTall && !isShared && !onPictures ? 440 : 340;
  const height = (hasObject || onPictures ? withObject : free) * unit;
  return { width: zone.width, height };
}

/** The product's name, large, and what it is. */
function openingLines(frame: TitleFrame, film: FilmWords, shown: WordsOfScene): readonly Line[] {
  const { unit } = frame;
  const { scene, start, colors } = shown;
  const said = film.isCaptioned ? "" : cleanText(scene.text_overlay ?? "", 120);
  const hasName = film.name !== "" && !said.toLowerCase().includes(film.name.toLowerCase());
  const title = hasName || said === "" ? film.name : said;
  const line = hasName ? said : "";
  if (title === "") return [];
  const room = roomOf(frame, film);
  const share = line ? 0.62 : 1;
  const large = { ...room, height: room.height * share, maxFontSize: 230 * unit, maxLines: 3 };
  const { fontColor, emphasis } = { fontColor: colors.ink, emphasis: colors.emphasis };
  const [first, ...more] = film.onPictures
    ? [boxed(title, { ...large, maxFontSize: 132 * unit }, { start, colors, unit, isMain: true })]
    : settledLines(title, large, { ink: line ? fontColor : emphasis, emphasis, start, gap: 0 });
  // seen in the first frame, which players show before they play
  const heading = [first, ...more].flatMap((each) =>
    each ? [{ ...each, look: { ...each.look, animateIn: "none" } }] : [],
  );
  if (!line) return heading;
  const top = heightOf(heading) + (film.onPictures ? 14 : 26) * unit;
  const small = {
    width: room.width * 0.94,
    height: room.height * 0.38 - 26 * unit,
    maxFontSize: 80 * unit,
    maxLines: 3,
  };
  const later = start + 0.6;
  if (film.onPictures) {
    return [...heading, { ...boxed(line, small, { start: later, colors, unit, isMain: false }), top }];
  }
  const below = settledLines(line, small, { ink: fontColor, emphasis: fontColor, start: later, gap: 0.3 });
  const plainBelow = below.map((each) => ({
    ...each,
    top: top + each.top,
    look: { ...each.look, fontWeight: 600, animateIn: "slideup" },
  }));
  return [...heading, ...plainBelow];
}

/** A line comes after the other, and the last one late enough that something happens to the end of the scene. */
function middleLines(frame: TitleFrame, film: FilmWords, shown: WordsOfScene): readonly Line[] {
  if (film.isCaptioned) return [];
  const said = cleanText(shown.scene.text_overlay ?? "", 200);
  // shapes alone would say nothing
  const text = said || (film.hasObject || film.onPictures ? "" : film.name);
  if (text === "") return [];
  const { start, end, colors } = shown;
  const { unit } = frame;
  const first = start + 0.3;
  const room = { ...roomOf(frame, film), maxFontSize: (film.onPictures ? 84 : 168) * unit, maxLines: 5 };
  if (film.onPictures) return [boxed(text, room, { start: first, colors, unit, isMain: true })];
  const gap = Math.min(0.7, Math.max(0.18, (end - start - 1.8) / 4));
  return settledLines(text, room, { ink: colors.ink, emphasis: colors.emphasis, start: first, gap });
}

type BoxLook = { start: number; colors: SceneColors; unit: number; isMain: boolean };
type Room = { width: number; height: number; maxFontSize: number; maxLines: number };

/** A block of words on a ground of its own. */
function boxed(text: string, room: Room, { start, colors, unit, isMain }: BoxLook): Line {
  const padding = (isMain ? 30 : 20) * unit;
  const inner = { ...room, width: room.width - 2 * padding, height: room.height - 2 * padding };
  const lines = settledLines(text, inner, { ink: "", emphasis: "", start, gap: 0 });
  const { fontSize = room.maxFontSize } = lines[0] ?? {};
  const look = {
    ...{
      background: colors.ground,
      fontColor: colors.ink,
      padding: Math.round(padding),
      radius: Math.round(18 * unit),
    },
    ...{ animateIn: "slideup", fontWeight: isMain ? 800 : 600, verticalAlign: "top" },
  };
  return { text, fontSize, height: heightOf(lines) + 2 * padding, top: 0, start, look };
}

/** A disc as a sign of the font: its diameter is this share of the font size, and it lies in the middle of its line. */
const discSign = { text: "⬤", diameter: 1.37 };

/**
 * One block with air between: the mark, the name, one call, and what it costs and where to find it. All of it is smaller
 * where the words are many.
 */
function endCard(frame: TitleFrame, film: FilmWords, shown: WordsOfScene, scale = 1): readonly Placed[] {
  const { scene, index, start, end, colors } = shown;
  const { zone, canvas } = frame;
  const unit = frame.unit * scale;
  const call = cleanText(scene.text_overlay ?? scene.voice_text ?? "", 80);
  const mark = 210 * unit;
  const lines: Line[] = [];
  let top = 0;
  const add = (line: Omit<Line, "top">, gapAfter: number) => {
    lines.push({ ...line, top });
    top += line.height + gapAfter * unit;
  };
  const [initial = ""] = [...new Intl.Segmenter().segment(film.name)].map(({ segment }) => segment.toUpperCase());
  const logoTop = top;
  if (film.logo) top += mark + 48 * unit;
  else if (initial) {
    const sign = { height: mark, start: start + 0.25 };
    const disc = { fontColor: colors.shape, animateIn: "pop", lineHeight: 1 };
    add({ ...sign, text: discSign.text, fontSize: mark / discSign.diameter, look: disc }, 0);
    top = 0;
    const letter = { fontColor: colors.onShape, animateIn: "pop", lineHeight: 1 };
    add({ ...sign, text: initial, fontSize: 0.56 * mark, look: letter }, 48);
  }
  if (film.name && film.onPictures) {
    const room = { width: zone.width, height: 230 * unit, maxFontSize: 120 * unit, maxLines: 2 };
    const { top: _, ...name } = boxed(film.name, room, { start: start + 0.45, colors, unit, isMain: true });
    add(name, 36);
  } else if (film.name) {
    const room = { width: zone.width, height: 280 * unit, maxFontSize: 168 * unit, maxLines: 2 };
    const look = { ink: colors.ink, emphasis: colors.ink, start: start + 0.45, gap: 0.1 };
    const name = settledLines(film.name, room, look);
    for (const [at, line] of name.entries()) add(line, at === name.length - 1 ? 52 : 0);
  }
  if (call) {
    const padding = 40 * unit;
    const look = {
      ...{ background: colors.emphasis, fontColor: colors.ground, padding: Math.round(padding) },
      ...{ radius: Math.round(200 * unit), animateIn: "pop" },
    };
    const room = { width: zone.width - 2 * padding, height: 150 * unit, maxFontSize: 76 * unit, maxLines: 2 };
    const { lines: broken, fontSize } = setLarge(call, room);
    const height = Math.max(76 * unit, broken.length * fontSize * lineHeight) + 2 * padding;
    add({ text: broken.join("\n"), fontSize, height, start: start + 0.8, look }, 36);
  }
  const price = call.includes(film.price) ? "" : film.price;
  const box = { background: colors.ground, padding: Math.round(16 * unit), radius: Math.round(14 * unit) };
  const height = (film.onPictures ? 96 : 70) * unit;
  for (const [at, found] of foundAt([price, film.address].filter(Boolean), zone.width / unit).entries()) {
    const look = { fontColor: colors.ink, fontWeight: 600, animateIn: "fade", ...(film.onPictures && box) };
    add({ text: found, fontSize: detailSize * unit, height, start: start + 1.1 + 0.2 * at, look }, 0);
  }
  if (heightOf(lines) > zone.height && scale > leastScale) return endCard(frame, film, shown, scale * 0.93);
  const group = { id: `words-${index}`, end, top: zone.y + (zone.height - heightOf(lines)) / 2, lines, stays: true };
  const placed = placeGroup(frame, group);
  if (!film.logo) return placed;
  const image = {
    ...{ assetId: film.logo.assetId, group: group.id, opacity: 1, rotation: 0, maintainAspectRatio: true },
    ...{ width: Math.round(Math.min(zone.width, mark * film.logo.ratio)), height: Math.round(mark) },
    centerX: Math.round(zone.x + zone.width / 2 - canvas.width / 2),
    centerY: Math.round(group.top + logoTop + mark / 2 - canvas.height / 2),
  };
  return [...placed, { id: `${group.id}-logo`, start: Math.min(start + 0.25, end - 0.1), end, overlay: image }];
}

const detailSize = 54;
const leastScale = 0.5;

/** On one line where both have room. */
function foundAt(details: readonly string[], width: number): readonly string[] {
  const { lines, fontSize } = setLarge(details.join("  ·  "), {
    width,
    height: 100,
    maxLines: 1,
    maxFontSize: detailSize,
  });
  return fontSize >= detailSize ? lines.filter(Boolean) : details;
}
