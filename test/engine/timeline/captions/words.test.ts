import { expect, test } from "bun:test";
import { timeWords, toCaptionWords, wordsOf } from "../../../../src/engine/timeline/captions/words.ts";

/** Words with a plus before those that follow without a space. */
const split = (text: string) => wordsOf(text).map(({ text: word, glued }) => (glued ? `+${word}` : word));

test.each([
  ["Latin", "Don't stop: it's $3,50 (now) at reelwright.com!", "Don't|stop:|it's|$3,50|(now)|at|reelwright.com!"],
  ["Chinese", "今天的咖啡很新鲜，快来。", "今天|+的|+咖啡|+很|+新鲜，|+快|+来。"],
  ["Chinese with Latin", "下载iPhone吧", "下载|+iPhone|+吧"],
  ["Japanese", "今日のコーヒーは「新鮮」です。", "今日|+の|+コーヒー|+は|+「新鮮」|+です。"],
  ["Thai", "กาแฟสดใหม่ทุกเช้า มาเลย", "กาแฟ|+สด|+ใหม่|+ทุก|+เช้า|มา|+เลย"],
  ["Khmer", "កាហ្វេស្រស់រៀងរាល់ព្រឹក", "កាហ្វេ|+ស្រស់|+រៀងរាល់|+ព្រឹក"],
  ["Arabic", "قهوة طازجة، كل صباح؟", "قهوة|طازجة،|كل|صباح؟"],
  ["Hebrew", "קפה טרי, כל בוקר.", "קפה|טרי,|כל|בוקר."],
  ["Hindi", "हर सुबह ताज़ी कॉफ़ी।", "हर|सुबह|ताज़ी|कॉफ़ी।"],
  ["emoji", "Hi 👋🏽 you👨‍👩‍👧!", "Hi|👋🏽|you👨‍👩‍👧!"],
  ["nothing", " \n ", ""],
])("splits %s into words", (_, text, expected) => {
  expect(split(text).join("|")).toBe(expected);
});

const times = (text: string, seconds: number) =>
  timeWords(text, { start: 1, end: 1 + seconds }).map(({ text: word, start, end }) => [
    word,
    Number((start - 1).toFixed(3)),
    Number((end - 1).toFixed(3)),
  ]);

test("a word takes time by its letters, a comma and a sentence end pause", () => {
  // 2 + 3 letters, 3 pause, 2 + 3, 6 pause, 2 + 1
  expect(times("One, two. I", 2.2)).toEqual([
    ["One,", 0, 0.5],
    ["two.", 0.8, 1.3],
    ["I", 1.9, 2.2],
  ]);
});

test("Chinese characters and digits take longer than letters, emoji no time", () => {
  expect(times("咖啡", 1)).toEqual([["咖啡", 0, 1]]);
  // 2 + 2 × 2.5, 2 + 2 × 3, 0
  expect(times("咖啡 24 🔥", 1.5)).toEqual([
    ["咖啡", 0, 0.7],
    ["24", 0.7, 1.5],
    ["🔥", 1.5, 1.5],
  ]);
  expect(times("🔥 👋", 2)).toEqual([
    ["🔥", 0, 1],
    ["👋", 1, 2],
  ]);
});

test("a title before a name ends no sentence", () => {
  expect(times("Dr. Li", 1).at(-1)).toEqual(["Li", 0.5, 1]);
});

const ntsc = { num: 30_000, den: 1001 };

test("words in frames are in order, never overlap, and end with the film", () => {
  const words = [
    { text: "one", start: 0.1, end: 0.9 },
    { text: "two", start: 0.5, end: 0.8 },
    { text: "three", start: 0.4, end: 9 },
    { text: "late", start: 2, end: 3 },
  ];
  expect(toCaptionWords(words, ntsc, 60).map(({ range }) => [range.start, range.end])).toEqual([
    [3, 15],
    [15, 15],
    [15, 60],
  ]);
});
