import type { Canvas } from "../../engine/timeline/timeline.ts";
import type { EditorState, ExportSettings, TrackAction } from "../works/editor-state.ts";
import { layOutFor } from "./lay-out.ts";
import { fillLayers, layersIn, maskedBy, pendingIn, savedLayers, type TemplateLayer, withLayerIds } from "./layers.ts";
import { fillAll, fillPlaceholders, type PlaceholderValues } from "./placeholders.ts";
import type {
  OverlayTiming,
  Template,
  TemplateContent,
  TemplateImageOverlay,
  TemplateTextOverlay,
} from "./templates.ts";

type WithoutTiming<Overlay extends OverlayTiming> = Omit<Overlay, "id" | keyof OverlayTiming>;
type ById<Overlay> = { readonly [id: string]: Overlay };

/** The part of a template that determines the result of applying it. */
export type ApplicableTemplate = Pick<Template, "id" | "content">;

/**
 * A template applied to a video of known duration: overlays by id, and track actions with their times. Both have the id
 * `<template id>-<overlay id>`, which is unique among overlays of the user and of other templates.
 */
export type AppliedTemplate = {
  readonly textOverlays: ById<WithoutTiming<TemplateTextOverlay>>;
  readonly textTrackActions: readonly TrackAction[];
  readonly imageOverlays: ById<WithoutTiming<TemplateImageOverlay>>;
  readonly imageTrackActions: readonly TrackAction[];
  /** Absent for a template without layers. */
  readonly layers?: readonly TemplateLayer[];
  readonly exportSettings?: ExportSettings;
  /** The template's ids of overlays without any visible time in this video. The result contains them nowhere else. */
  readonly skippedOverlayIds: readonly string[];
  readonly pendingPlaceholders: readonly string[];
};

/** Limit for all texts together, with placeholders filled in. */
const maxTextCharacters = 5_000_000;

/** The video that a template is applied to. Without a canvas the overlays keep their positions. */
export type TemplateUse = {
  readonly durationSeconds: number;
  readonly values: PlaceholderValues;
  readonly canvas?: Canvas | undefined;
};

/** Applies timing, placeholders and positions for the canvas. Throws validation_error if values make texts too long. */
export function applyTemplate(
  { id, content: given }: ApplicableTemplate,
  { durationSeconds, values, canvas }: TemplateUse,
): AppliedTemplate {
  const timed = given.layers ? { ...given, layers: layersIn(given.layers, durationSeconds) } : given;
  const content = canvas ? layOutFor(timed, canvas) : timed;
  const prefix = prefixOf(id);
  const texts = resolveTiming(content.textOverlays, durationSeconds);
  const images = resolveTiming(content.imageOverlays, durationSeconds);
  const filled = fillTexts(texts.visible, values);
  const layers = fillLayers(content.layers ?? [], values);
  return {
    textOverlays: byId(withPrefix(filled.overlays, prefix)),
    textTrackActions: withPrefix(texts.actions, prefix),
    imageOverlays: byId(withPrefix(images.visible, prefix)),
    imageTrackActions: withPrefix(images.actions, prefix),
    ...(content.layers && { layers: withLayerIds(layers.layers, prefix) }),
    ...(content.exportSettings && { exportSettings: content.exportSettings }),
    skippedOverlayIds: [...texts.skippedIds, ...images.skippedIds],
    pendingPlaceholders: [...new Set([...filled.pending, ...layers.pending])],
  };
}

/** Replaces every overlay of an earlier application of the template, including removed ones. */
export function mergeIntoEditor(
  { textOverlays, imageOverlays, editorData, ...state }: EditorState,
  applied: AppliedTemplate,
  { id, content }: ApplicableTemplate,
): EditorState {
  const stays = (overlayId: string) => !overlayId.startsWith(prefixOf(id));
  const layers = [...savedLayers(state).filter((layer) => stays(String(layer.id ?? ""))), ...(applied.layers ?? [])];
  return {
    ...state,
    ...((state.layers !== undefined || layers.length > 0) && { layers }),
    textOverlays: { ...entriesWith(stays, textOverlays), ...applied.textOverlays },
    imageOverlays: { ...entriesWith(stays, imageOverlays), ...applied.imageOverlays },
    editorData: {
      ...editorData,
      videoTrack: withTransition(editorData.videoTrack, content.defaultTransition),
      textTrack: [...actionsWith(stays, editorData.textTrack), ...applied.textTrackActions],
      imageTrack: [...actionsWith(stays, editorData.imageTrack), ...applied.imageTrackActions],
    },
    exportSettings: { ...state.exportSettings, ...applied.exportSettings },
  };
}

const prefixOf = (templateId: string) => `${templateId}-`;

const withPrefix = <Item extends { readonly id: string; readonly mask?: unknown }>(
  items: readonly Item[],
  prefix: string,
): readonly Item[] => items.map((item) => ({ ...item, ...maskedBy(item, prefix), id: prefix + item.id }));

/** The visible range of an overlay in seconds, clamped to the video; may be empty. */
function rangeOf(timing: OverlayTiming, durationSeconds: number) {
  const { startPercent = 0, endPercent = 100, startSeconds = 0, endSeconds = durationSeconds } = timing;
  const isRelative = timing.timingMode === "relative";
  const clamp = (seconds: number) => Math.min(durationSeconds, Math.max(0, seconds));
  return {
    start: clamp(isRelative ? (startPercent * durationSeconds) / 100 : startSeconds),
    end: clamp(isRelative ? (endPercent * durationSeconds) / 100 : endSeconds),
  };
}

function resolveTiming<Overlay extends OverlayTiming & { readonly id: string }>(
  overlays: readonly Overlay[],
  durationSeconds: number,
) {
  const all = overlays.map((overlay) => ({
    overlay,
    action: { id: overlay.id, ...rangeOf(overlay, durationSeconds) },
  }));
  const visible = all.filter(({ action }) => action.end > action.start);
  const skipped = all.filter(({ action }) => action.end <= action.start);
  return {
    visible: visible.map(({ overlay }) => overlay),
    actions: visible.map(({ action }) => action),
    skippedIds: skipped.map(({ action }) => action.id),
  };
}

function fillTexts(overlays: readonly TemplateTextOverlay[], values: PlaceholderValues) {
  const pending = new Set<string>();
  let charactersLeft = maxTextCharacters;
  const filled = overlays.map((overlay) => {
    const { text, pending: keys } = fillPlaceholders(overlay.text, values, charactersLeft);
    charactersLeft -= text.length;
    const { spans, keyframes } = overlay;
    for (const key of [...keys, ...pendingIn({ spans, keyframes }, values)]) pending.add(key);
    return {
      ...overlay,
      text,
      ...(spans && { spans: fillAll(spans, values) }),
      ...(keyframes && { keyframes: fillAll(keyframes, values) }),
    };
  });
  return { overlays: filled, pending: [...pending] };
}

// fromEntries, because an assignment to the key __proto__ sets the prototype instead
const byId = <Overlay extends OverlayTiming & { readonly id: string }>(
  overlays: readonly Overlay[],
): ById<WithoutTiming<Overlay>> => Object.fromEntries(overlays.map((overlay) => [overlay.id, withoutTiming(overlay)]));

function withoutTiming<Overlay extends OverlayTiming & { readonly id: string }>(
  overlay: Overlay,
): WithoutTiming<Overlay> {
  const { id, timingMode, startPercent, endPercent, startSeconds, endSeconds, ...rest } = overlay;
  return rest;
}

const entriesWith = <Overlay>(keeps: (id: string) => boolean, overlays: ById<Overlay>): ById<Overlay> =>
  Object.fromEntries(Object.entries(overlays).filter(([id]) => keeps(id)));

const actionsWith = (keeps: (id: string) => boolean, actions: readonly TrackAction[]) =>
  actions.filter(({ id }) => keeps(id));

const withTransition = (actions: readonly TrackAction[], transition: TemplateContent["defaultTransition"]) =>
  actions.map((action) =>
    transition && !action.transitionType
      ? { ...action, transitionType: transition.type, transitionDuration: transition.duration }
      : action,
  );
