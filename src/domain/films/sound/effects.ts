import type { SoundLibrary } from "../../../engine/ports.ts";
import { toThousandths } from "../../../platform/values.ts";
import type { InternalUrls } from "../../files/internal-urls.ts";
import type { PlacedEffect } from "../look/scene-layers.ts";

/** A sound of a request. */
export type EffectSound = { readonly audioUrl: string; readonly position: number; readonly [field: string]: unknown };

/** Of the effects, whose files are as loud as a bed: 18 dB below it. */
const volume = 0.126;

/** Nearer ones would be one noise, in seconds. */
const leastDistance = 0.12;

/** An export takes 50 sounds: a person may add some. */
const most = 40;

/** The sounds of a film's effects, in the order of the film. */
export function effectSounds(
  placed: readonly PlacedEffect[],
  { effects }: Pick<SoundLibrary, "effects">,
  { madeSound }: Pick<InternalUrls, "madeSound">,
): readonly EffectSound[] {
  const kept: PlacedEffect[] = [];
  for (const effect of placed.toSorted((one, other) => other.weight - one.weight || one.at - other.at)) {
    if (kept.length < most && kept.every(({ at }) => Math.abs(at - effect.at) >= leastDistance)) kept.push(effect);
  }
  return kept
    .toSorted((one, other) => one.at - other.at)
    .flatMap(({ name, at }) => {
      const effect = effects.get(name);
      if (!effect) return [];
      const position = toThousandths(Math.max(0, at - effect.lead));
      return { audioUrl: madeSound("effect", name), position, volume, role: "effect" as const, duck: true };
    });
}
