import type { HtmlLayerInput, KeyframeInput, LayerInput } from "../../exports/request/layers/inputs.ts";
import type { Draft } from "../reading/draft.ts";
import type { Property } from "../reading/property.ts";
import { rounded, within } from "../reading/rows.ts";
import type { Layer, Place } from "./layer-properties.ts";

export type Frame = { readonly width: number; readonly height: number };
type Times = { readonly position: number; readonly end: number };

const limit = { min: -16_384, max: 16_384 };
const length = (value: number): number => rounded(within(value, { min: 1, max: 16_384 }));

/** The center of a box of this size at a place, from the center of the frame. */
const centered = ({ x, y, originX, originY }: Place, box: Frame, frame: Frame) => ({
  centerX: rounded(within((x - 0.5) * frame.width + (0.5 - originX) * box.width, limit)),
  centerY: rounded(within((y - 0.5) * frame.height + (0.5 - originY) * box.height, limit)),
});

/** A picture that grows, shrinks or moves while it is visible. */
function moved({ zoom, zoomAmount = 0.1 }: Layer, byDefault: Layer["zoom"], centerX = 0) {
  const direction = zoom === undefined ? byDefault : zoom;
  const evenly = (from: number, to: number): KeyframeInput<number>[] => [
    { at: 0, value: rounded(from) },
    { at: "100%", value: rounded(to) },
  ];
  if (!direction) return {};
  if (direction === "in") return { keyframes: { scale: evenly(1, 1 + zoomAmount) } };
  if (direction === "out") return { keyframes: { scale: evenly(1 + zoomAmount, 1) } };
  const half = (direction === "right" ? 1 : -1) * zoomAmount * 500;
  return {
    keyframes: {
      scale: [{ at: 0, value: rounded(1.3 + zoomAmount) }],
      centerX: evenly(within(centerX - half, limit), within(centerX + half, limit)),
    },
  };
}

export type Stage = { readonly frame: Frame; readonly times: Times; readonly speed: number; readonly volume: number };

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\n", "<br>");

const palette = ["#264653", "#2a9d8f", "#6d597a", "#355070", "#b56576"];

/** Editly takes random colors: these are the same in every import. */
const anyColor = (seed: number): string => palette[seed % palette.length]!;

function gradientOf(type: string, colors: readonly [string, string], { times }: Stage): LayerInput {
  const stops = colors.map((color, at) => ({ at, color }));
  if (type === "radial-gradient") {
    return { type: "shape", shape: "rect", ...times, fill: { type: "radial", stops } };
  }
  const at = (angle: number) => ({ type: "linear" as const, angle, stops });
  const fill = [
    { at: 0, value: at(135) },
    { at: "100%", value: at(165) },
  ];
  return { type: "shape", shape: "rect", ...times, fill: at(135), keyframes: { fill } };
}

const rainbow = ["#ff0000", "#ffa500", "#ffff00", "#00c000", "#0060ff", "#8000ff"];

/** Layers of one type, bottom first. */
export const drawn: Readonly<Record<string, (layer: Layer, stage: Stage, seed: number) => readonly LayerInput[]>> = {
  "fill-color": ({ color }, { times }, seed) => [
    { type: "shape", shape: "rect", ...times, fill: color ?? anyColor(seed) },
  ],
  pause: ({ color }, { times }, seed) => [{ type: "shape", shape: "rect", ...times, fill: color ?? anyColor(seed) }],
  "linear-gradient": ({ type, colors }, stage, seed) => [
    gradientOf(type, colors ?? [anyColor(seed), anyColor(seed + 1)], stage),
  ],
  "radial-gradient": ({ type, colors }, stage, seed) => [
    gradientOf(type, colors ?? [anyColor(seed), anyColor(seed + 1)], stage),
  ],
  "rainbow-colors": (_, { times }) => [
    {
      type: "shape",
      shape: "rect",
      ...times,
      fill: {
        type: "linear",
        angle: 90,
        stops: rainbow.map((color, index) => ({ at: rounded(index / (rainbow.length - 1)), color })),
      },
    },
  ],
  title: (layer, { frame, times }) => {
    const box = { width: length(0.8 * frame.width), height: length(0.9 * frame.height) };
    const { centerX, centerY } = centered(layer.place, box, frame);
    return [
      {
        type: "text",
        text: layer.text,
        ...times,
        ...words(layer),
        fontSize: within(Math.round(Math.min(frame.width, frame.height) * 0.1), { min: 1, max: 1000 }),
        fontWeight: 400,
        maxWidth: box.width,
        maxHeight: box.height,
        verticalAlign: layer.place.originY === 0 ? "top" : layer.place.originY === 1 ? "bottom" : "middle",
        centerX,
        centerY,
        ...moved({ zoomAmount: 0.2, ...layer }, "in", centerX),
      },
    ];
  },
  subtitle: (layer, { frame, times }) => {
    const shorter = Math.min(frame.width, frame.height);
    const css = `.all { height: 100%; display: flex; flex-direction: column; justify-content: flex-end } .words { padding: ${rounded(0.05 * shorter)}px; font-size: ${rounded(shorter / 20)}px; line-height: 1.16; color: ${layer.look.fontColor ?? "#ffffff"}; background: ${layer.ground ?? "rgba(0,0,0,0.3)"} }`;
    return [card(layer, css, times, { enter: { name: "fade", seconds: 0.6, easing: "out-expo" } })];
  },
  "news-title": (layer, { frame, times }) => {
    const shorter = Math.min(frame.width, frame.height);
    const css = `.all { padding-top: ${rounded(0.08 * frame.height - 0.03 * shorter)}px; display: flex; align-items: flex-start } .words { padding: ${rounded(0.03 * shorter)}px ${rounded(0.07 * shorter)}px; font-size: ${Math.round(0.05 * shorter)}px; letter-spacing: ${rounded((0.05 * shorter * frame.width * 0.1) / 1000)}px; color: ${layer.look.fontColor ?? "#ffffff"}; background: ${layer.ground ?? "#d02a42"} }`;
    const enter = { name: "fly", direction: "right" as const, seconds: 0.8, easing: "out-expo" };
    return [card(layer, css, times, { enter })];
  },
  "slide-in-text": (layer, { frame, times }) => {
    const seconds = times.end - times.position;
    const fontSize = within(Math.round(layer.fontSize * frame.width), { min: 1, max: 1000 });
    const box = { width: length(0.9 * frame.width), height: length(0.9 * frame.height) };
    const side = (share: number) => (share === 0 ? "left" : share === 1 ? "right" : "center");
    return [
      {
        type: "text",
        text: layer.text,
        ...words(layer),
        position: rounded(times.position + 0.1 * seconds),
        end: rounded(times.position + 0.9 * seconds),
        fontSize,
        fontWeight: 400,
        letterSpacing: rounded(within((fontSize * frame.width * layer.charSpacing) / 1000, { min: 0, max: 1000 })),
        align: side(layer.place.originX),
        maxWidth: box.width,
        maxHeight: box.height,
        verticalAlign: layer.place.originY === 0 ? "top" : layer.place.originY === 1 ? "bottom" : "middle",
        ...centered(layer.place, box, frame),
        enter: { name: "wipe", direction: "right", seconds: rounded(0.2 * seconds), easing: "in-out-cubic" },
        exit: { name: "fade", seconds: rounded(0.1 * seconds) },
      },
    ];
  },
  "image-overlay": (layer, { frame, times }) => {
    const { path } = layer;
    if (!path?.assetId) return [];
    const ratio = path.width && path.height ? path.height / path.width : 1;
    const box =
      layer.width === undefined && layer.height !== undefined
        ? { width: (layer.height * frame.height) / ratio, height: layer.height * frame.height }
        : { width: (layer.width ?? 1) * frame.width, height: (layer.width ?? 1) * frame.width * ratio };
    const { centerX, centerY } = centered(layer.place, box, frame);
    return [
      {
        type: "image",
        assetId: path.assetId,
        ...times,
        width: length(box.width),
        height: length(box.height),
        centerX,
        centerY,
        ...moved(layer, null, centerX),
      },
    ];
  },
};

const words = ({ look }: Layer) => ({ ...look, fontColor: look.fontColor ?? "#ffffff", shadowColor: "transparent" });

function card(layer: Layer, css: string, times: Times, moves: Pick<HtmlLayerInput, "enter">): LayerInput {
  const html = `<div class="all"><div class="words">${escaped(layer.text)}</div></div>`;
  return { type: "html", html, css, ...times, ...moves };
}

/** A picture or a video: in the whole frame, or in a part of it. */
export function pictureDraft(from: Property, layer: Layer, stage: Stage): readonly Draft[] {
  const { frame, times, speed, volume } = stage;
  const { path } = layer;
  const size = {
    width: length((layer.width ?? 1) * frame.width),
    height: length((layer.height ?? 1) * frame.height),
  };
  const isVideo = layer.type === "video";
  const place = { x: layer.left ?? 0, y: layer.top ?? 0, originX: layer.originX, originY: layer.originY };
  const center = isVideo ? centered(place, size, frame) : { centerX: 0, centerY: 0 };
  if (!path) return [];
  if (path.assetId === "") {
    return [{ from, layer: { type: "shape", shape: "rect", fill: "#c9ced6", ...times, ...size, ...center } }];
  }
  const fit = layer.fit === "blur" ? "contain" : layer.fit;
  const isOverBlur = layer.fit === "blur";
  const common = { assetId: path.assetId, ...times, ...size, ...center, fit } as const;
  if (path.type === "image") {
    return [{ from, isOverBlur, layer: { type: "image", ...common, ...moved(layer, isVideo ? null : "in") } }];
  }
  const video = {
    ...(layer.cutFrom > 0 && { cutFrom: layer.cutFrom }),
    ...(Math.abs(speed - 1) > 0.001 && { speed: rounded(within(speed, { min: 0.1, max: 10 })) }),
    ...(volume !== 1 && { volume }),
  };
  return [{ from, isOverBlur, layer: { type: "video", ...common, ...video } }];
}

export const mediaLength = ({ path, cutFrom, cutTo }: Layer): number | undefined => {
  const end = cutTo ?? path?.seconds;
  return end === undefined ? undefined : Math.max(0.01, Math.min(end, path?.seconds ?? end) - cutFrom);
};
