import type { EditorState, TrackAction } from "../works/editor-state.ts";
import { fillPlaceholders, type PlaceholderValues } from "./placeholders.ts";
import type {
  ExportSettings,
  OverlayTiming,
  TemplateContent,
  TemplateImageOverlay,
  TemplateTextOverlay,
} from "./templates.ts";

type Untimed<Overlay extends OverlayTiming> = Omit<Overlay, "id" | keyof OverlayTiming>;
type ById<Overlay> = { readonly [id: string]: Overlay };

/** A template laid over a video of a known length: overlays by their ids, and when each is seen. */
export type AppliedTemplate = {
  readonly textOverlays: ById<Untimed<TemplateTextOverlay>>;
  readonly textTrackActions: readonly TrackAction[];
  readonly imageOverlays: ById<Untimed<TemplateImageOverlay>>;
  readonly imageTrackActions: readonly TrackAction[];
  readonly exportSettings?: ExportSettings;
  /** Overlays that would end at or before their start in this video; they are nowhere else in the result. */
  readonly skippedOverlayIds: readonly string[];
  readonly pendingPlaceholders: readonly string[];
};

/** Of all texts together, placeholders filled in. */
const maxTextCharacters = 5_000_000;

/** Resolves timing and placeholders; throws validation_error when the values make the texts too long. */
export function applyTemplate(
  content: TemplateContent,
  durationSeconds: number,
  values: PlaceholderValues,
): AppliedTemplate {
  const texts = timed(content.textOverlays, durationSeconds);
  const images = timed(content.imageOverlays, durationSeconds);
  const filled = fillTexts(texts.seen, values);
  return {
    textOverlays: byId(filled.overlays),
    textTrackActions: texts.actions,
    imageOverlays: byId(images.seen),
    imageTrackActions: images.actions,
    ...(content.exportSettings && { exportSettings: content.exportSettings }),
    skippedOverlayIds: [...texts.skippedIds, ...images.skippedIds],
    pendingPlaceholders: filled.pending,
  };
}

/** Puts an applied template into an editor's state; what the template brought before is replaced by id. */
export function mergeApplied(state: EditorState, applied: AppliedTemplate, content: TemplateContent): EditorState {
  const { textOverlays, imageOverlays, editorData } = state;
  const [textIds, imageIds] = [idsOf(content.textOverlays), idsOf(content.imageOverlays)];
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

/** The stretch of the video an overlay is meant for, cut to the video; may be empty. */
function rangeOf(timing: OverlayTiming, durationSeconds: number) {
  const { startPercent = 0, endPercent = 100, startSeconds = 0, endSeconds = durationSeconds } = timing;
  const isRelative = timing.timingMode === "relative";
  const within = (seconds: number) => Math.min(durationSeconds, Math.max(0, seconds));
  return {
    start: within(isRelative ? (startPercent * durationSeconds) / 100 : startSeconds),
    end: within(isRelative ? (endPercent * durationSeconds) / 100 : endSeconds),
  };
}

function timed<Overlay extends OverlayTiming & { readonly id: string }>(
  overlays: readonly Overlay[],
  durationSeconds: number,
) {
  const all = overlays.map((overlay) => ({
    overlay,
    action: { id: overlay.id, ...rangeOf(overlay, durationSeconds) },
  }));
  const seen = all.filter(({ action }) => action.end > action.start);
  const skipped = all.filter(({ action }) => action.end <= action.start);
  return {
    seen: seen.map(({ overlay }) => overlay),
    actions: seen.map(({ action }) => action),
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

// fromEntries, because an assignment would lose an overlay named __proto__
const byId = <Overlay extends OverlayTiming & { readonly id: string }>(
  overlays: readonly Overlay[],
): ById<Untimed<Overlay>> => Object.fromEntries(overlays.map((overlay) => [overlay.id, untimed(overlay)]));

function untimed<Overlay extends OverlayTiming & { readonly id: string }>(overlay: Overlay): Untimed<Overlay> {
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
