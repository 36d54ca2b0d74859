import { wordsIn } from "../../domain/ai/scenario/voice-text.ts";
import { countWords } from "../../domain/shared/texts.ts";
import type { ScreenTexts } from "./screen-texts.ts";
import type { Shot } from "./shot-prompts.ts";

/** What a voice says in each scene: the first text of its beat that fits into the scene and was not said before. */
export function spokenTextsFor(
  shots: readonly Shot[],
  durations: readonly number[],
  texts: ScreenTexts,
): readonly (string | null)[] {
  const said = new Set<string>();
  return shots.map((shot, index) => {
    const fits = (text: string) => countWords(text) <= wordsIn(durations[index]!) && !said.has(text);
    const candidates = shots.length === 1 ? [texts.action] : candidatesFor(shot, texts);
    const text = candidates.flatMap((candidate) => (candidate ? closed(candidate) : [])).find(fits) ?? null;
    if (text !== null) said.add(text);
    return text;
  });
}

/** Benefits and details say the whole sentence of which the screen shows a part. */
function candidatesFor({ beat, claimIndex }: Shot, texts: ScreenTexts): readonly (string | null | undefined)[] {
  if (beat === "benefit" || beat === "detail") {
    const index = claimIndex ?? 0;
    return [texts.sentences[index], texts.claims[index], texts.benefit, texts.detail];
  }
  return [texts[beat]];
}

const closed = (text: string): string => (/\p{P}$/u.test(text) ? text : `${text}.`);
