import type { Warning } from "../exports/warnings.ts";
import { lastsAsVoice } from "../works/fit-scenes.ts";
import type { WorkMedia } from "../works/media.ts";
import type { Work } from "../works/works.ts";
import type { FilmOrder } from "./film.ts";

/** Less is not worth a word. */
const tolerance = 0.2;

const maxNamed = 10;

/** A scene is never shorter than its voice, so voices can make the film longer than its order. */
export function voiceLengthWarnings(
  { seconds: ordered }: FilmOrder,
  { scenes }: Work,
  media: readonly WorkMedia[],
): readonly Warning[] {
  const total = scenes.reduce((sum, { duration_seconds }) => sum + duration_seconds, 0);
  if (ordered === undefined || total < ordered + tolerance) return [];
  const isOfVoice = (at: number) => {
    const voice = media.find(({ slot }) => slot === `scene/${at}/voice`);
    const seconds = voice?.file.facts.durationSeconds;
    return seconds !== undefined && lastsAsVoice(scenes[at]!, seconds);
  };
  const longer = scenes.flatMap((_, at) => (isOfVoice(at) ? at : []));
  if (longer.length === 0) return [];
  const lasts = `The scenes last ${Number(total.toFixed(1))} instead of ${ordered} seconds`;
  const why =
    longer.length === 1
      ? `scene ${longer[0]} is as long as its voice: shorten what it says`
      : `scenes ${listed(longer)} are as long as their voices: shorten what they say`;
  return [{ path: "seconds", code: "voice_too_long", message: `${lasts}, because ${why}, or order more seconds.` }];
}

function listed(places: readonly number[]): string {
  const named = places.slice(0, maxNamed);
  const more = places.length - named.length;
  return more > 0 ? `${named.join(", ")} and ${more} more` : `${named.slice(0, -1).join(", ")} and ${named.at(-1)}`;
}
