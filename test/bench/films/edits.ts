import { type FilmRequest, shortText, type Uploads } from "./requests.ts";
import type { FilmSeconds } from "./settings.ts";

type Edit = { readonly name: string; readonly goal: string; readonly edited: FilmRequest };

/** The edits that are measured, from the cheapest. Those in turn cost alike: each run measures one of them. */
export function measuredEdits(seconds: FilmSeconds, film: FilmRequest, uploads: Uploads, run: number): readonly Edit[] {
  const index = shortText[seconds];
  const { position, end } = film.texts[index]!;
  const withText = (change: Partial<FilmRequest["texts"][number]>): FilmRequest => ({
    ...film,
    texts: film.texts.with(index, { ...film.texts[index]!, ...change }),
  });
  const withAudio = (change: Partial<FilmRequest["audio"]>): FilmRequest => ({
    ...film,
    audio: { ...film.audio, ...change },
  });
  const looks = [withText({ text: "Three for one" }), withText({ fontColor: "#ffd166" }), withText({ centerY: 380 })];
  const sounds = [withAudio({ volume: 0.4 }), withAudio({ audioUrl: uploads.musicUrls[1]! })];
  const goals = {
    6: ["0.03", "0.10", "0.45", "0.55"],
    15: ["0.02", "0.05", "0.22", "0.30"],
    30: ["0.02", "0.05", "0.12", "0.15"],
  };
  const edits = [
    ["nothing", film],
    ["volume or music in turn", sounds[run % sounds.length]!],
    ["a 2 s text's words, color or place in turn", looks[run % looks.length]!],
    ["a 2 s text moved by 0.5 s", withText({ position: position + 0.5, end: end + 0.5 })],
  ] as const;
  return edits.map(([name, edited], at) => ({ name, edited, goal: `<= ${goals[seconds][at]}` }));
}
