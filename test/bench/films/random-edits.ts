import type { FilmRequest } from "./requests.ts";

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What people do between two exports, to any part of the film. */
export function randomEdit(film: FilmRequest, random: () => number): FilmRequest {
  const { texts, clips, audio } = film;
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]!;
  const indexOf = (items: readonly unknown[]) => Math.floor(random() * items.length);
  const shift = (random() - 0.5) * 2;
  const length = clips.at(-1)!.end;
  const withText = (change: (text: FilmRequest["texts"][number]) => Partial<FilmRequest["texts"][number]>) => {
    const index = indexOf(texts);
    const text = texts[index]!;
    return { ...film, texts: texts.with(index, { ...text, ...change(text) }) };
  };
  const withClip = (change: (clip: FilmRequest["clips"][number]) => Partial<FilmRequest["clips"][number]>) => {
    const index = indexOf(clips);
    const clip = clips[index]!;
    return { ...film, clips: clips.with(index, { ...clip, ...change(clip) }) };
  };
  const edits = [
    () => withText(() => ({ text: `Take ${Math.floor(random() * 1000)}` })),
    () => withText(() => ({ fontColor: pick(["#ffd166", "#ef476f", "#06d6a0"]) })),
    () => withText(({ centerY }) => ({ centerY: centerY + 100 * shift })),
    () =>
      withText(({ position, end }) => ({
        position: Math.max(0, position + shift),
        end: Math.max(0, position + shift) + end - position,
      })),
    () => withText(({ position }) => ({ end: Math.min(length, position + 1 + 2 * random()) })),
    () =>
      withClip(() => ({
        transition: pick(["cut", "fade", "slideup", "wiperight", "circleopen", "dissolve", "fadewhite"]),
      })),
    () => withClip(({ transitionDuration }) => ({ transitionDuration: transitionDuration * (0.5 + random()) })),
    () => withClip(() => ({ cutFrom: 2 * random() })),
    () => withClip(() => ({ sceneIndex: pick(clips).sceneIndex })),
    () => moveCut(film, 1 + indexOf(clips.slice(1)), shift / 2),
    () => ({ ...film, audio: { ...audio, volume: random() } }),
  ];
  return pick(edits)();
}

/** Moves the start of a clip, and with it the end of the one before. */
function moveCut(film: FilmRequest, index: number, seconds: number): FilmRequest {
  const clips = film.clips.map((clip, at) => {
    if (at === index) return { ...clip, position: clip.position + seconds };
    return at === index - 1 ? { ...clip, end: clip.end + seconds } : clip;
  });
  return { ...film, clips };
}
