import type { Asset } from "../api.ts";
import { type Draft, layersOf } from "./draft.ts";
import { putOverlay, removeOverlay } from "./overlays.ts";
import { safeZoneOf } from "./places.ts";

const logo = { kind: "layer", id: "film-logo" } as const;

/** From left to right, and from top to bottom. */
export const logoSpots = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((across) => [across, down] as const));
export type Spot = (typeof logoSpots)[number];

const topRight = logoSpots[2]!; // safe because there are nine
const usualShare = 1 / 6;

type Logo = {
  readonly assetId: string;
  /** The place among nine, if it is one of these. */
  readonly spot: Spot | undefined;
  /** The longer side as a share of the frame's shorter one. */
  readonly share: number;
};

/** The sides of a logo, and its center in the safe zone. */
function boxAt({ editor }: Draft, [across, down]: Spot, share: number, ratio: number) {
  const frame = editor.exportSettings;
  const longer = Math.min(frame.width, frame.height) * share;
  const width = Math.round(ratio > 1 ? longer : longer * ratio);
  const height = Math.round(ratio > 1 ? longer / ratio : longer);
  const zone = safeZoneOf(frame);
  const along = (place: number, from: number, to: number, side: number) =>
    Math.round((from + to) / 2 + (place * (to - from - side)) / 2);
  return {
    ...{ width: Math.max(1, width), height: Math.max(1, height) },
    centerX: along(across, zone.left, zone.right, width),
    centerY: along(down, zone.top, zone.bottom, height),
  };
}

type Placed = {
  readonly assetId: string;
  readonly width: number;
  readonly height: number;
  readonly centerX: number;
  readonly centerY: number;
};

// safe because this page alone writes a layer of this id
const placedIn = (draft: Draft) => layersOf(draft).find(({ id }) => id === logo.id) as (Placed & object) | undefined;

/** The logo over the whole film, if it has one. */
export function logoOf(draft: Draft): Logo | undefined {
  const placed = placedIn(draft);
  if (!placed) return undefined;
  const { width, height, centerX, centerY } = placed;
  const frame = draft.editor.exportSettings;
  const share = Math.max(width, height) / Math.min(frame.width, frame.height);
  const spot = logoSpots.find((each) => {
    const box = boxAt(draft, each, share, width / height);
    return Math.abs(box.centerX - centerX) <= 1 && Math.abs(box.centerY - centerY) <= 1;
  });
  return { assetId: placed.assetId, spot, share };
}

/** Shows an image of the project over all scenes, where the logo before was. */
export function withLogo(draft: Draft, { id: assetId, width = 1, height = 1 }: Asset): Draft {
  const { spot = topRight, share = usualShare } = logoOf(draft) ?? {};
  // without times, it is shown from the start to the end, however long the film becomes
  const layer = { type: "image", assetId, layer: 90, ...boxAt(draft, spot, share, width / height) };
  return putOverlay(draft, logo, layer);
}

/** Moves the logo to another place, or resizes it there. */
export function placeLogo(draft: Draft, changes: { readonly spot?: Spot; readonly share?: number }): Draft {
  const known = logoOf(draft);
  const placed = placedIn(draft);
  if (!known || !placed) return draft;
  const { spot, share } = { ...known, ...changes };
  const { width, height, ...center } = boxAt(draft, spot ?? topRight, share, placed.width / placed.height);
  // one that was dragged stays where it is
  return putOverlay(draft, logo, { width, height, ...(spot && center) });
}

export const withoutLogo = (draft: Draft): Draft => removeOverlay(draft, logo);
