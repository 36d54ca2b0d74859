import { expect, test } from "bun:test";
import { segmentsOf } from "../../../src/domain/ai/transcription/transcribe.ts";
import { alignWords } from "../../../src/domain/speech/align-words.ts";
import { splitText, spokenText } from "../../../src/domain/speech/spoken-text.ts";
import { estimateWords } from "../../../src/domain/speech/word-times.ts";
import { joinSamples, samplesOfWav, secondsOf, wavOf } from "../../../src/engine/timeline/samples.ts";
import { usableWords } from "../../../src/providers/client/transcript-words.ts";
import { spokenSamples, tone } from "../../support/models/voice-server.ts";

const word = (text: string, start: number, end: number) => ({ text, start, end });

test.each([
  ["Hi <laugh>there</laugh>!", "Hi there !"],
  ["5 < 6 and 7 > 3", "5 6 and 7 3"],
  ["  two\n\nlines ", "two lines"],
  ["<short pause>", ""],
  ["…!", ""],
])("of %p is said: %p", (text, spoken) => {
  expect(spokenText(text)).toBe(spoken);
});

test("a long text is split after sentences, and a long sentence after words", () => {
  expect(splitText("One two. Three four. Five six.", 20)).toEqual(["One two. Three four.", "Five six."]);
  expect(splitText("One two three four five six", 10)).toEqual(["One two", "three four", "five six"]);
  expect(splitText("今天好。明天好。", 4)).toEqual(["今天好。", "明天好。"]);
});

test("samples survive a WAV file", () => {
  const samples = tone(0.01);
  expect(samplesOfWav(wavOf(samples))).toEqual(samples);
});

test("words with a pause between each get the times of the sounds", () => {
  const words = estimateWords("Good morning dear friends", spokenSamples("Good morning dear friends"));
  expect(words.map(({ text }) => text)).toEqual(["Good", "morning", "dear", "friends"]);
  const starts = [0, 5, 13, 18].map((letters) => letters / 15);
  for (const [at, start] of starts.entries()) expect(Math.abs(words[at]!.start - start)).toBeLessThan(0.02);
});

test("sentences without pauses inside stay between the pauses of the sound", () => {
  const sound = joinSamples([tone(1), tone(2)], 0.5);
  const words = estimateWords("Here we are. And now it is time to go home.", sound);
  expect(words.find(({ text }) => text === "are.")!.end).toBeCloseTo(1, 1);
  expect(words.find(({ text }) => text === "And")!.start).toBeCloseTo(1.5, 1);
  expect(words.at(-1)!.end).toBeCloseTo(secondsOf(sound), 1);
});

test("a script keeps its spelling at the times of a transcript", () => {
  const script = [word("Save", 0, 1), word("50", 1, 2), word("%", 2, 3), word("today!", 3, 4)];
  const heard = [word("save", 0.1, 0.4), word("fifty", 0.5, 0.9), word("percent", 1, 1.4), word("today", 1.5, 2)];
  const aligned = alignWords(script, heard, 2)!;
  expect(aligned.map(({ text }) => text)).toEqual(["Save", "50", "%", "today!"]);
  expect(aligned[0]).toMatchObject({ start: 0.1, end: 0.4 });
  expect(aligned[1]).toMatchObject({ start: 0.4 });
  expect(aligned[2]!.end).toBeCloseTo(1.5, 6);
  expect(aligned[3]).toMatchObject({ start: 1.5, end: 2 });
});

test("a transcript of something else gives no times", () => {
  expect(
    alignWords([word("Good", 0, 1), word("day", 1, 2)], [word("thank", 0, 1), word("you", 1, 2)], 2),
  ).toBeUndefined();
});

test("word times that run backwards are not used, and slips are repaired", () => {
  const good = Array.from({ length: 20 }, (_, at) => word("a", at, at + 1));
  expect(usableWords([word("b", 1, 0), word("c", 0, 9)], 2)).toEqual([]);
  expect(usableWords([word("b", Number.NaN, 1)], 2)).toEqual([]);
  expect(usableWords([...good, word("b", 19.5, 25)], 20).at(-1)).toEqual(word("b", 20, 20));
});

test("segments end with sentences and with long pauses", () => {
  const words = [word("Hi.", 0, 1), word("Then", 1, 2), word("later", 4, 5), word("on.", 5, 6)];
  expect(segmentsOf(words)).toEqual([
    { text: "Hi.", start: 0, end: 1 },
    { text: "Then", start: 1, end: 2 },
    { text: "later on.", start: 4, end: 6 },
  ]);
});
