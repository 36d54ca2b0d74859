import { safeZoneOf } from "../../../engine/timeline/safe-zone.ts";
import { cleanText } from "../../../platform/texts.ts";
import type { SceneColors } from "./design.ts";
import { endCard } from "./end-card.ts";
import { nameAlone, nameOf, piecesOf, titleOf } from "./layouts.ts";
import { type Room, setLarge, startOf } from "./lines.ts";
import {
  boxed,
  type FilmWords,
  heightOf,
  type Line,
  leavingSeconds,
  type Placed,
  pieceLines,
  placeGroup,
  settledLines,
  sideFrame,
  type TitleFrame,
  type WordsOfScene,
} from "./titles.ts";

/** The words of a scene as overlays, in the safe zone and beside the product. */
export function sceneWords(whole: TitleFrame, film: FilmWords, shown: WordsOfScene): readonly Placed[] {
  if (shown.place === "end") return endCard(whole, film, shown);
  const isBeside = film.hasObject || film.onPictures;
  const frame = isBeside ? whole : sideFrame(whole, startOf(shown.scene.text_overlay ?? film.name));
  const lines = shown.place === "opening" ? openingLines(frame, film, shown) : middleLines(frame, film, shown);
  if (lines.length === 0) return [];
  const height = heightOf(lines);
  const { zone, unit } = frame;
  // above the drawing: a product stands high; in a low frame, shapes are near
  const share = frame.isTall && !film.isShared ? 0.4 : 0.3;
  const top = isBeside ? zone.y + (film.isLabelled ? labelHeight : 8) * unit : zone.y + (zone.height - height) * share;
  // a caption begins with the next scene
  const end = shown.end - (film.isCaptioned ? leavingSeconds : 0);
  return placeGroup(frame, { id: `words-${shown.index}`, end, top, lines, stays: false });
}

const labelHeight = 92;

function roomOf({ canvas, zone, unit, isTall }: TitleFrame, { hasObject, onPictures, isShared }: FilmWords) {
  const free = isTall && !isShared ? 860 : 630;
  const withObject = isTall && !isShared ? (onPictures ? 400 : 440) : 340;
  // captions above the words take space from above the product
  const taken = zone.y - safeZoneOf(canvas).y;
  const height = hasObject || onPictures ? Math.max(withObject * unit - taken, 120 * unit) : free * unit;
  return { width: zone.width, height: Math.min(height, zone.height) };
}

/** The product's name, large, and its description. */
function openingLines(frame: TitleFrame, film: FilmWords, shown: WordsOfScene): readonly Line[] {
  const { unit } = frame;
  const { scene, start, colors } = shown;
  const said = film.isCaptioned ? "" : cleanText(scene.text_overlay ?? "", 120);
  const hasName = film.name !== "" && !said.toLowerCase().includes(film.name.toLowerCase());
  const title = hasName || said === "" ? film.name : said;
  const line = hasName ? said : "";
  if (title === "") return [];
  const room = roomOf(frame, film);
  const seconds = shown.end - start;
  if (!film.hasObject && !film.onPictures) return posterLines(frame, room, { title, line, start, seconds, colors });
  // low frames leave the description too little room
  const nameShare = film.onPictures ? 0.46 : film.isShared ? 0.54 : 0.62;
  const share = line ? nameShare : 1;
  const align = startOf(title);
  const large = { ...room, height: room.height * share, maxFontSize: 230 * unit, maxLines: 3 };
  const { fontColor, emphasis } = { fontColor: colors.ink, emphasis: colors.emphasis };
  const [first, ...more] = film.onPictures
    ? [boxed(title, { ...large, maxFontSize: 132 * unit }, { start, colors, unit, isMain: true, align })]
    : settledLines(title, large, { ink: line ? fontColor : emphasis, emphasis, start, gap: 0 });
  // visible in the first frame, which players show before they play
  const heading = [first, ...more].flatMap((each) =>
    each ? [{ ...each, look: { ...each.look, animateIn: "none" } }] : [],
  );
  if (!line) return heading;
  const top = heightOf(heading) + (film.onPictures ? 14 : 26) * unit;
  const small = {
    width: room.width * 0.94,
    height: room.height * (1 - nameShare) - (film.onPictures ? 14 : 26) * unit,
    maxFontSize: 80 * unit,
    maxLines: 3,
  };
  const later = start + 0.6;
  if (film.onPictures) {
    return [...heading, { ...boxed(line, small, { start: later, colors, unit, isMain: false, align }), top }];
  }
  const below = settledLines(line, small, { ink: fontColor, emphasis: fontColor, start: later, gap: 0.3 });
  const plainBelow = below.map((each) => ({
    ...each,
    top: top + each.top,
    look: { ...each.look, fontWeight: 600, animateIn: "slideup" },
  }));
  return [...heading, ...plainBelow];
}

/** Pieces appear over the whole scene, each with time to be read. */
const gapFor = (seconds: number, pieces: number): number =>
  Math.min(0.95, Math.max(0.14, (seconds - 1.6) / Math.max(1, pieces)));

type Poster = {
  readonly title: string;
  readonly line: string;
  readonly start: number;
  readonly seconds: number;
  readonly colors: SceneColors;
};

/** The name as wide as possible, and its description in separate lines: the type is the picture. */
function posterLines({ unit }: TitleFrame, room: Pick<Room, "width" | "height">, poster: Poster): readonly Line[] {
  const { title, line, start, seconds, colors } = poster;
  const align = startOf(title);
  const large = { ...room, height: room.height * (line ? 0.5 : 0.8), maxFontSize: 230 * unit, maxLines: 3 };
  const heading = pieceLines(nameOf(title, large), { colors, align, start, gap: 0 }).map((each) => ({
    // visible in the first frame, which players show before they play
    ...each,
    look: { ...each.look, animateIn: "none", fontColor: line ? colors.ink : colors.emphasis },
  }));
  if (!line) return heading;
  const top = heightOf(heading) + 30 * unit;
  const small = { width: room.width, height: room.height - top, maxFontSize: 104 * unit, maxLines: 4 };
  const { lines, fontSize } = setLarge(titleOf(line), small);
  const main = lines.length > 1 ? lines.length - 1 : 0;
  const pieces = lines.map((text, at) => {
    return { text, fontSize, role: at === main ? ("main" as const) : ("plain" as const), lines: 1 };
  });
  const gap = gapFor(seconds, pieces.length);
  const below = pieceLines(pieces, { colors, align: startOf(line), start: start + 0.35, gap });
  return [...heading, ...below.map((each) => ({ ...each, top: top + each.top }))];
}

/** Lines appear one after another, the last one late enough to keep the scene moving until its end. */
function middleLines(frame: TitleFrame, film: FilmWords, shown: WordsOfScene): readonly Line[] {
  if (film.isCaptioned) return [];
  const text = titleOf(cleanText(shown.scene.text_overlay ?? "", 200));
  const { start, end, colors, index } = shown;
  const { unit } = frame;
  if (!film.hasObject && !film.onPictures) {
    const room = { ...roomOf(frame, film), maxFontSize: 180 * unit, maxLines: 6 };
    // shapes alone would say nothing
    const pieces = text ? piecesOf(text, room, index) : film.name ? nameAlone(film.name, room, index) : [];
    const gap = gapFor(end - start, pieces.length);
    return pieceLines(pieces, { colors, align: startOf(text || film.name), start: start + 0.2, gap });
  }
  if (text === "") return [];
  const first = start + 0.3;
  const room = { ...roomOf(frame, film), maxFontSize: (film.onPictures ? 108 : 168) * unit, maxLines: 5 };
  if (film.onPictures) return [boxed(text, room, { start: first, colors, unit, isMain: true, align: startOf(text) })];
  const gap = Math.min(0.7, Math.max(0.18, (end - start - 1.8) / 4));
  return settledLines(text, room, { ink: colors.ink, emphasis: colors.emphasis, start: first, gap });
}
