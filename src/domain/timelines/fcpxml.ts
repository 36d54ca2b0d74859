import type { Source } from "../../engine/timeline/source.ts";
import { type FrameRate, frameRateOf, framesIn } from "../../engine/timeline/time.ts";
import {
  durationOf,
  type EditClip,
  type EditItem,
  type EditList,
  type EditMarker,
  type EditMedia,
  type EditTitle,
  type EditTransition,
  exactSeconds,
} from "./edit-list.ts";

/** Final Cut Pro's XML 1.10: the pictures as the storyline, the rest connected to it. Every time is an exact fraction. */
export function fcpxmlOf(list: EditList): string {
  const { name, rate, canvas, frames, media, lost } = list;
  const formats = formatsOf(media);
  const assets = new Map(media.map((one, index) => [one.path, { id: `r${formats.length + index + 10}`, media: one }]));
  const context: Context = {
    rate,
    refOf: (one) => assets.get(one.path)!.id,
    height: canvas.height,
    styles: { count: 0 },
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<!DOCTYPE fcpxml>",
    '<fcpxml version="1.10">',
    ...lost.map((note) => `  <!-- ${note.replaceAll("--", "")} -->`),
    "  <resources>",
    `    <format id="r1" frameDuration="${rate.den}/${rate.num}s" width="${canvas.width}" height="${canvas.height}" colorSpace="1-1-1 (Rec. 709)"/>`,
    '    <format id="r2" name="FFVideoFormatRateUndefined"/>',
    '    <effect id="r3" name="Basic Title" uid=".../Titles.localized/Bumper:Opener.localized/Basic Title.localized/Basic Title.moti"/>',
    '    <effect id="r4" name="Cross Dissolve" uid="FxPlug:4731E73A-8DAC-4113-9A30-AE85B1761265"/>',
    ...formats.map((format, index) => `    <format id="r${index + 10}" ${format}/>`),
    ...[...assets.values()].map(({ id, media: one }) => assetOf(id, one, { rate, formats })),
    "  </resources>",
    "  <library>",
    `    <event name=${quoted(name)}>`,
    `      <project name=${quoted(name)}>`,
    `        <sequence format="r1" duration="${exactSeconds(frames, rate)}" tcStart="0s" tcFormat="NDF" audioLayout="stereo" audioRate="48k">`,
    "          <spine>",
    ...spineOf(list, context),
    "          </spine>",
    "        </sequence>",
    "      </project>",
    "    </event>",
    "  </library>",
    "</fcpxml>",
    "",
  ].join("\n");
}

type Context = {
  readonly rate: FrameRate;
  readonly refOf: (media: EditMedia) => string;
  readonly height: number;
  /** The number of text styles so far. */
  readonly styles: { count: number };
};

/** The formats of the videos, each size and rate once. */
const formatsOf = (media: readonly EditMedia[]): readonly string[] => [
  ...new Set(media.flatMap(({ source }) => (source.facts.picture ? formatOf(source) : []))),
];

/** An odd average rate belongs to a file without a steady one, which the program measures itself. */
const steadyRates = [23.976, 24, 25, 29.97, 30, 50, 59.94, 60];

function formatOf({ facts: { width, height, picture } }: Source): string {
  const fps = steadyRates.find((steady) => Math.abs(steady - (picture?.frameRate ?? 0)) < 0.005);
  const rate = fps === undefined ? undefined : frameRateOf(fps);
  const duration = rate ? `frameDuration="${rate.den}/${rate.num}s" ` : "";
  return `${duration}width="${width}" height="${height}"`;
}

type Formats = { readonly rate: FrameRate; readonly formats: readonly string[] };

function assetOf(id: string, { path, name, source }: EditMedia, { rate, formats }: Formats): string {
  const { kind, hasSound, picture } = source.facts;
  const isImage = kind === "image";
  const streams = [
    ...(isImage || picture ? ['hasVideo="1"'] : []),
    ...(kind === "audio" || hasSound ? ['hasAudio="1" audioSources="1" audioChannels="2"'] : []),
    ...(isImage ? ['format="r2"'] : picture ? [`format="r${formats.indexOf(formatOf(source)) + 10}"`] : []),
  ];
  const duration = isImage ? "0s" : exactSeconds(durationOf(source, rate), rate);
  return `    <asset id="${id}" name=${quoted(name)} start="0s" duration="${duration}" ${streams.join(" ")}><media-rep kind="original-media" src=${quoted(`./${path}`)}/></asset>`;
}

/** An item of the storyline: frames of the film from `start`, which correspond to frames of its file from `local`. */
type Anchor = { readonly start: number; readonly end: number; readonly local: number };

function spineOf({ tracks, markers, rate }: EditList, context: Context): readonly string[] {
  const [pictures, ...others] = tracks;
  let up = 0;
  let down = 0;
  const connected = others.flatMap(({ kind, items }) => {
    const lane = kind === "video" ? ++up : --down;
    return items.flatMap((item) => (item.kind === "clip" || item.kind === "title" ? [{ item, lane, kind }] : []));
  });
  const lines: string[] = [];
  let at = 0;
  for (const item of pictures?.items ?? []) {
    if (item.kind === "transition") {
      lines.push(transitionOf(item, at, rate));
      continue;
    }
    const anchor: Anchor = { ...item.range, local: item.kind === "clip" ? localStart(item) : 0 };
    at = anchor.end;
    const inside = (start: number) => start >= anchor.start && start < anchor.end;
    const children = [
      ...connected.filter((one) => inside(one.item.range.start)).map((one) => childOf(one, anchor, context)),
      ...markers.filter(({ range }) => inside(range.start)).map((marker) => markerOf(marker, anchor, rate)),
    ];
    lines.push(...elementOf(item, anchor, children, context));
  }
  return lines.map((line) => `            ${line}`);
}

/** The transition lies over the start of the clip after the cut. */
const transitionOf = ({ frames }: EditTransition, at: number, rate: FrameRate): string =>
  `<transition name="Cross Dissolve" offset="${exactSeconds(at, rate)}" duration="${exactSeconds(frames, rate)}"><filter-video ref="r4" name="Cross Dissolve"/></transition>`;

function elementOf(
  item: Exclude<EditItem, EditTransition>,
  { start, end, local }: Anchor,
  children: readonly string[],
  { rate, refOf }: Context,
): readonly string[] {
  const times = `offset="${exactSeconds(start, rate)}" start="${exactSeconds(local, rate)}" duration="${exactSeconds(end - start, rate)}"`;
  const inner = children.map((child) => `  ${child}`);
  if (item.kind !== "clip") return [`<gap name="Gap" ${times}>`, ...inner, "</gap>"];
  const isImage = item.media.source.facts.kind === "image";
  const tag = isImage ? "video" : "asset-clip";
  const only = isImage ? "" : ' srcEnable="video"';
  const map = isImage ? "" : timeMapOf(item, rate);
  const held = map === "" ? [] : [`  ${map}`];
  return [
    `<${tag} ref="${refOf(item.media)}" name=${quoted(item.name)} ${times}${only}>`,
    ...held,
    ...inner,
    `</${tag}>`,
  ];
}

/** A clip with a map of its time begins at 0. */
const localStart = ({ isHeld, speed, mediaStart }: EditClip): number =>
  isHeld || speed !== undefined ? 0 : mediaStart;

/** Maps the clip's whole time to times of its file, or to one that is held; empty for one at the file's own speed. */
function timeMapOf({ mediaStart, range, isHeld, speed }: EditClip, rate: FrameRate): string {
  const scale = isHeld ? 0 : speed;
  if (scale === undefined) return "";
  const points = [0, framesIn(range)].map((at) => {
    const value = exactSeconds(Math.max(0, Math.round(mediaStart + at * scale)), rate);
    return `<timept time="${exactSeconds(at, rate)}" value="${value}" interp="linear"/>`;
  });
  return `<timeMap>${points.join("")}</timeMap>`;
}

type Connected = { readonly item: EditClip | EditTitle; readonly lane: number; readonly kind: "video" | "audio" };

function childOf({ item, lane, kind }: Connected, anchor: Anchor, { rate, refOf, styles, height }: Context): string {
  const offset = exactSeconds(anchor.local + item.range.start - anchor.start, rate);
  const duration = exactSeconds(framesIn(item.range), rate);
  if (item.kind === "title") {
    const id = `ts${++styles.count}`;
    const color = item.color.map((channel) => Number(channel.toFixed(4))).join(" ");
    const share = (pixels: number) => Number(((pixels / height) * 100).toFixed(4));
    const face = item.isBold ? "Bold" : "Regular";
    const style = `<text-style font=${quoted(item.fontFamily)} fontFace="${face}" fontSize="${item.fontSize}" fontColor="${color}" alignment="center"/>`;
    return `<title ref="r3" lane="${lane}" name=${quoted(item.name)} offset="${offset}" start="0s" duration="${duration}"><text><text-style ref="${id}">${escaped(item.text)}</text-style></text><text-style-def id="${id}">${style}</text-style-def><adjust-transform position="${share(item.x)} ${share(-item.y)}"/></title>`;
  }
  const times = `offset="${offset}" start="${exactSeconds(localStart(item), rate)}" duration="${duration}"`;
  const isImage = item.media.source.facts.kind === "image";
  const attributes = `ref="${refOf(item.media)}" lane="${lane}" name=${quoted(item.name)} ${times}`;
  if (isImage) return `<video ${attributes}/>`;
  return `<asset-clip ${attributes} srcEnable="${kind}">${timeMapOf(item, rate)}${volumeOf(item, rate)}</asset-clip>`;
}

function volumeOf({ volume = 1, fadeIn, fadeOut }: EditClip, rate: FrameRate): string {
  const fade = (tag: string, frames: number | undefined) =>
    frames === undefined ? "" : `<${tag} type="linear" duration="${exactSeconds(frames, rate)}"/>`;
  const fades = fade("fadeIn", fadeIn) + fade("fadeOut", fadeOut);
  if (volume === 1 && fades === "") return "";
  const amount = `amount="${decibels(volume)}dB"`;
  return fades
    ? `<adjust-volume ${amount}><param name="amount">${fades}</param></adjust-volume>`
    : `<adjust-volume ${amount}/>`;
}

const decibels = (factor: number): string => (factor <= 0 ? "-96" : (20 * Math.log10(factor)).toFixed(2));

const markerOf = ({ name, range }: EditMarker, anchor: Anchor, rate: FrameRate): string =>
  `<marker start="${exactSeconds(anchor.local + range.start - anchor.start, rate)}" duration="${exactSeconds(1, rate)}" value=${quoted(name)}/>`;

/** Removes control characters, which XML does not allow. */
const escaped = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern removes them
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");

const quoted = (text: string): string => `"${escaped(text.replace(/\s+/gu, " ")).replaceAll('"', "&quot;")}"`;
