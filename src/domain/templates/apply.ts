import type { EditorState, ExportSettings, TrackAction } from "../works/editor-state.ts";
import { fillPlaceholders, type PlaceholderValues } from "./placeholders.ts";
import type { OverlayTiming, TemplateContent, TemplateImageOverlay, TemplateTextOverlay } from "./templates.ts";

type WithoutTiming<Overlay extends OverlayTiming> = Omit<Overlay, "id" | keyof OverlayTiming>;
type ById<Overlay> = { readonly [id: string]: Overlay };

/** A template applied to a video of known duration: overlays by id, and track actions with their times. */
export type AppliedTemplate = {
  readonly textOverlays: ById<WithoutTiming<TemplateTextOverlay>>;
  readonly textTrackActions: readonly TrackAction[];
  readonly imageOverlays: ById<WithoutTiming<TemplateImageOverlay>>;
  readonly imageTrackActions: readonly TrackAction[];
  readonly exportSettings?: ExportSettings;
  /** Overlays without any visible time in this video. The result contains them nowhere else. */
  readonly skippedOverlayIds: readonly string[];
  readonly pendingPlaceholders: readonly string[];
};

/** Limit for all texts together, with placeholders filled in. */
const maxTextCharacters = 5_000_000;

/** Resolves timing and placeholders. Throws validation_error if the values make the texts too long. */
export function applyTemplate(
  content: TemplateContent,
  durationSeconds: number,
  values: PlaceholderValues,
): AppliedTemplate {
  const texts = resolveTiming(content.textOverlays, durationSeconds);
  const images = resolveTiming(content.imageOverlays, durationSeconds);
  const filled = fillTexts(texts.visible, values);
  return {
    textOverlays: byId(filled.overlays),
    textTrackActions: texts.actions,
    imageOverlays: byId(images.visible),
    imageTrackActions: images.actions,
    ...(content.exportSettings && { exportSettings: content.exportSettings }),
    skippedOverlayIds: [...texts.skippedIds, ...images.skippedIds],
    pendingPlaceholders: filled.pending,
  };
}

/** Merges an applied template into an editor state. Overlays with the template's ids are replaced. */
export function mergeIntoEditor(state: EditorState, applied: AppliedTemplate, content: TemplateContent): EditorState {
  const { textOverlays, imageOverlays, editorData } = state;
  const textIds = idsOf(content.textOverlays);
  const imageIds = idsOf(content.imageOverlays);
  return {
    ...state,
    textOverlays: { ...withoutIds(textOverlays, textIds), ...applied.textOverlays },
    imageOverlays: { ...withoutIds(imageOverlays, imageIds), ...applied.imageOverlays },
    editorData: {
      ...editorData,
      videoTrack: withTransition(editorData.videoTrack, content.defaultTransition),
      textTrack: [...actionsWithout(editorData.textTrack, textIds), ...applied.textTrackActions],
      imageTrack: [...actionsWithout(editorData.imageTrack, imageIds), ...applied.imageTrackActions],
    },
    exportSettings: applied.exportSettings ?? state.exportSettings,
  };
}

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
    for (const key of keys) pending.add(key);
    return { ...overlay, text };
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

const idsOf = (overlays: readonly { readonly id: string }[]) => new Set(overlays.map(({ id }) => id));

const withoutIds = <Overlay>(overlays: ById<Overlay>, ids: ReadonlySet<string>): ById<Overlay> =>
  Object.fromEntries(Object.entries(overlays).filter(([id]) => !ids.has(id)));

const actionsWithout = (actions: readonly TrackAction[], ids: ReadonlySet<string>) =>
  actions.filter(({ id }) => !ids.has(id));

const withTransition = (actions: readonly TrackAction[], transition: TemplateContent["defaultTransition"]) =>
  actions.map((action) =>
    transition && !action.transitionType
      ? { ...action, transitionType: transition.type, transitionDuration: transition.duration }
      : action,
  );
