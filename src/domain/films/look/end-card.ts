import { cleanText } from "../../../platform/texts.ts";
import { emsOf, lineHeight, setLarge } from "./lines.ts";
import {
  boxed,
  type FilmWords,
  heightOf,
  type Line,
  type Placed,
  placeGroup,
  settledLines,
  type TitleFrame,
  type WordsOfScene,
} from "./titles.ts";

/** A disc as a sign of the font: `diameter` is a share of the font size, in the middle of its line. */
const discSign = { text: "⬤", diameter: 1.37 };

/** The mark, the name, the price, one call, and the address: smaller if there are many words. */
export function endCard(frame: TitleFrame, film: FilmWords, shown: WordsOfScene, scale = 1): readonly Placed[] {
  const { scene, index, start, end, colors } = shown;
  const { zone, canvas } = frame;
  const unit = frame.unit * scale;
  const call = cleanText(scene.text_overlay ?? scene.voice_text ?? "", 80).replace(/(?<=[^.])[.。]$/u, "");
  const mark = 190 * unit;
  const lines: Line[] = [];
  let top = 0;
  const add = (line: Omit<Line, "top">, gapAfter: number) => {
    lines.push({ ...line, top });
    top += line.height + gapAfter * unit;
  };
  const [initial = ""] = [...new Intl.Segmenter().segment(film.name)].map(({ segment }) => segment.toUpperCase());
  if (film.logo) top += mark + 44 * unit;
  else if (initial && !film.onPictures && zone.height > leastForMark * frame.unit) {
    const sign = { height: mark, start: start + 0.2 };
    const disc = { fontColor: colors.shape, animateIn: "pop", lineHeight: 1 };
    add({ ...sign, text: discSign.text, fontSize: mark / discSign.diameter, look: disc }, 0);
    top = 0;
    const letter = { fontColor: colors.onShape, animateIn: "pop", lineHeight: 1 };
    add({ ...sign, text: initial, fontSize: 0.56 * mark, look: letter }, 40);
  }
  if (film.name && film.onPictures) {
    const room = { width: zone.width, height: 290 * unit, maxFontSize: 168 * unit, maxLines: 2 };
    const { top: _, ...name } = boxed(film.name, room, { start: start + 0.35, colors, unit, isMain: true });
    add(name, plateGap);
  } else if (film.name) {
    const room = { width: zone.width, height: 330 * unit, maxFontSize: 200 * unit, maxLines: 2 };
    const look = { ink: colors.ink, emphasis: colors.ink, start: start + 0.35, gap: 0.1 };
    const name = settledLines(film.name, room, look);
    for (const [at, line] of name.entries()) add(line, at === name.length - 1 ? 22 : 0);
  }
  const plate = { background: colors.ground, padding: Math.round(16 * unit), radius: Math.round(14 * unit) };
  /** Adds a detail on one line, as large as possible. */
  const addDetail = (text: string, { size, after, ...rest }: Detail) => {
    const padding = film.onPictures ? plate.padding : 0;
    const fontSize = Math.min(size * unit, (zone.width - 2 * padding) / emsOf(text));
    const look = { ...rest.look, ...(film.onPictures && plate) };
    const gap = film.onPictures ? plateGap : after;
    add({ text, fontSize, height: fontSize * lineHeight + 2 * padding, start: start + rest.at, look }, gap);
  };
  const price = call.includes(film.price) ? "" : film.price;
  if (price)
    addDetail(price, { size: 104, after: 44, at: 0.6, look: { fontColor: colors.emphasis, animateIn: "pop" } });
  else if (!film.onPictures) top += 22 * unit;
  if (call) {
    const padding = 44 * unit;
    const look = {
      ...{ background: colors.emphasis, fontColor: colors.onEmphasis, padding: Math.round(padding) },
      ...{ radius: Math.round(200 * unit), animateIn: "pop" },
    };
    const room = { width: zone.width - 2 * padding, height: 190 * unit, maxFontSize: 92 * unit, maxLines: 2 };
    const { lines: broken, fontSize } = setLarge(call, room);
    const height = broken.length * fontSize * lineHeight + 2 * padding;
    add({ text: broken.join("\n"), fontSize, height, start: start + 0.85, look }, film.onPictures ? plateGap : 40);
  }
  if (film.address) {
    const look = { fontColor: colors.ink, fontWeight: 700, animateIn: "slideup" };
    addDetail(film.address, { size: 66, after: 0, at: 1.1, look });
  }
  if (heightOf(lines) > zone.height && scale > leastScale) return endCard(frame, film, shown, scale * 0.93);
  const group = { id: `words-${index}`, end, top: zone.y + (zone.height - heightOf(lines)) / 2, lines, stays: true };
  const placed = placeGroup(frame, group);
  if (!film.logo) return placed;
  const image = {
    ...{ assetId: film.logo.assetId, group: group.id, opacity: 1, rotation: 0, maintainAspectRatio: true },
    ...{ width: Math.round(Math.min(zone.width, mark * film.logo.ratio)), height: Math.round(mark) },
    centerX: Math.round(zone.x + zone.width / 2 - canvas.width / 2),
    centerY: Math.round(group.top + mark / 2 - canvas.height / 2),
  };
  return [...placed, { id: `${group.id}-logo`, start: Math.min(start + 0.2, end - 0.1), end, overlay: image }];
}

type Detail = { readonly size: number; readonly after: number; readonly at: number; readonly look: Line["look"] };

/** Plates on a picture form one block. */
const plateGap = 14;

const leastScale = 0.4;

/** The height, in units, that a mark needs above the rest: captions leave less. */
const leastForMark = 500;
