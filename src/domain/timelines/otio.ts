import { type FrameRange, type FrameRate, framesIn } from "../../engine/timeline/time.ts";
import { withoutUndefined } from "../../platform/values.ts";
import {
  durationOf,
  type EditClip,
  type EditItem,
  type EditList,
  type EditMedia,
  type EditTitle,
} from "./edit-list.ts";

/** OpenTimelineIO's JSON: a timeline of tracks, every time in frames of the film's exact rate. */
export function otioOf(list: EditList): string {
  const { name, rate, tracks, markers, lost, canvas } = list;
  const children = tracks.map((track) => ({
    OTIO_SCHEMA: "Track.1",
    ...{ name: track.name, kind: track.kind === "video" ? "Video" : "Audio" },
    ...plain,
    source_range: null,
    children: track.items.map((item) => itemOf(item, rate)),
  }));
  const timeline = {
    OTIO_SCHEMA: "Timeline.1",
    name,
    metadata: { reelwright: { ...canvas, lost } },
    global_start_time: null,
    tracks: {
      OTIO_SCHEMA: "Stack.1",
      ...{ name: "tracks", ...plain, source_range: null, children },
      markers: markers.map((marker) => ({
        OTIO_SCHEMA: "Marker.2",
        ...{ name: marker.name, metadata: {}, color: "GREEN", marked_range: rangeOf(marker.range, rate) },
        // versions after 0.18 read the name that the first version of markers had, and also a second one
        range: rangeOf(marker.range, rate),
      })),
    },
  };
  return `${JSON.stringify(timeline, undefined, 2)}\n`;
}

const plain = { metadata: {}, effects: [], markers: [], enabled: true };

const rateOf = ({ num, den }: FrameRate): number => num / den;

const timeOf = (value: number, rate: FrameRate) => ({ OTIO_SCHEMA: "RationalTime.1", rate: rateOf(rate), value });

const rangeFrom = (start: number, frames: number, rate: FrameRate) => ({
  OTIO_SCHEMA: "TimeRange.1",
  ...{ start_time: timeOf(start, rate), duration: timeOf(frames, rate) },
});

const rangeOf = (range: FrameRange, rate: FrameRate) => rangeFrom(range.start, framesIn(range), rate);

function itemOf(item: EditItem, rate: FrameRate): object {
  if (item.kind === "gap") {
    return { OTIO_SCHEMA: "Gap.1", name: "", ...plain, source_range: rangeFrom(0, framesIn(item.range), rate) };
  }
  if (item.kind === "transition") {
    const { type, frames } = item;
    const isDissolve = type === "fade" || type === "dissolve";
    return {
      OTIO_SCHEMA: "Transition.1",
      ...{ name: type, metadata: { reelwright: { type } } },
      transition_type: isDissolve ? "SMPTE_Dissolve" : "Custom_Transition",
      in_offset: timeOf(0, rate),
      out_offset: timeOf(frames, rate),
    };
  }
  const isTitle = item.kind === "title";
  return {
    OTIO_SCHEMA: "Clip.2",
    ...{ name: item.name, ...plain, metadata: metadataOf(item) },
    effects: isTitle ? [] : [...(item.isHeld ? [freeze] : []), ...warpOf(item)],
    source_range: rangeFrom(isTitle ? 0 : item.mediaStart, framesIn(item.range), rate),
    media_references: { DEFAULT_MEDIA: isTitle ? titleOf(item, rate) : fileOf(item.media, rate) },
    active_media_reference_key: "DEFAULT_MEDIA",
  };
}

const freeze = {
  OTIO_SCHEMA: "FreezeFrame.1",
  ...{ name: "", metadata: {}, effect_name: "FreezeFrame", time_scalar: 0, enabled: true },
};

const warpOf = ({ speed }: EditClip): readonly object[] =>
  speed === undefined
    ? []
    : [
        {
          OTIO_SCHEMA: "LinearTimeWarp.1",
          ...{ name: "", metadata: {}, effect_name: "LinearTimeWarp", time_scalar: speed, enabled: true },
        },
      ];

function metadataOf(item: EditClip | EditTitle): object {
  if (item.kind === "title") return {};
  const { volume, fadeIn, fadeOut, media } = item;
  return {
    reelwright: {
      sha256: media.source.hash,
      ...withoutUndefined({ volume, fadeInFrames: fadeIn, fadeOutFrames: fadeOut }),
    },
  };
}

const fileOf = ({ path, name, source }: EditMedia, rate: FrameRate): object => ({
  OTIO_SCHEMA: "ExternalReference.1",
  ...{ name, metadata: { reelwright: { sha256: source.hash } }, available_image_bounds: null, target_url: path },
  available_range: source.facts.kind === "image" ? null : rangeFrom(0, durationOf(source, rate), rate),
});

const titleOf = ({ name, range, text, ...look }: EditTitle, rate: FrameRate): object => ({
  OTIO_SCHEMA: "GeneratorReference.1",
  ...{ name, metadata: {}, available_image_bounds: null, generator_kind: "Title" },
  available_range: rangeFrom(0, framesIn(range), rate),
  parameters: { text, ...withoutKind(look) },
});

const withoutKind = ({ kind: _, ...look }: Omit<EditTitle, "name" | "range" | "text">) => look;
