import { expect, test } from "bun:test";
import fc from "fast-check";
import { isForm, withForms } from "../../../src/domain/language/forms.ts";
import { sentencesOf, stepMarks } from "../../../src/platform/texts.ts";

const sentences = (text: string) => withForms(sentencesOf(text));

test.each([
  [
    "It is light. How it works: 1. Fold it 2. Carry it 3. Ride it. It is quick.",
    "How it works: 1. Fold it 2. Carry it 3. Ride it.",
  ],
  ["How it works:\n1. Plug it in.\n2. Turn the ring.\nRead on.", "How it works: 1. Plug it in. 2. Turn the ring."],
  ["So geht es: 1. Einstecken. 2. Ring drehen. Am 3. Mai geht es los.", "So geht es: 1. Einstecken. 2. Ring drehen."],
  ["使い方：①差し込む②回す。明るい。", "使い方： ① 差し込む ② 回す。"],
  ["Before: an hour in traffic. After: ten minutes. It is quick.", "Before: an hour in traffic. After: ten minutes."],
  ["Vorher: weiches Brot. Nachher: Kruste.", "Vorher: weiches Brot. Nachher: Kruste."],
  ["“I take it on every train.” ★★★★★ Ana, Lisbon. It folds.", "“I take it on every train.” ★★★★★ Ana, Lisbon."],
  [
    "“Best lamp I have owned!” 4.9 out of 5 — Tom, Leeds. It folds.",
    "“Best lamp I have owned!” 4.9 out of 5 — Tom, Leeds.",
  ],
])("what says something only together stays together: %s", (text, form) => {
  expect(sentences(text)).toContain(form);
  expect(isForm(form)).toBe(true);
});

test.each([
  "We open at 9. Then we bake 200 loaves.",
  "In 2. place since 2019. It is 1. of its kind.",
  "Before you fold it, press here. After that, ride.",
  "It costs £18. 2. Hand goods are cheaper.",
])("no steps, states or quotes are read into other sentences: %s", (text) => {
  expect(sentences(text)).toEqual(sentencesOf(text));
  expect(sentences(text).some(isForm)).toBe(false);
});

test("steps are one sentence with all of their words, whatever stands around them", () => {
  const step = fc.constantFrom("Fold it", "Plug it in", "Ring drehen", "Turn the ring", "Read on");
  const around = fc.constantFrom("", "It is light. ", "11 kg light. ", "Am 3. Mai. ");
  const steps = fc.array(step, { minLength: 2, maxLength: 5 });
  const property = fc.property(
    around,
    steps,
    fc.constantFrom(" ", ". ", "\n", ".\n"),
    around,
    (before, said, end, after) => {
      const list = said.map((each, at) => `${at + 1}. ${each}`).join(end);
      const found = sentences(`${before}How: ${list}. ${after}`).find((sentence) => sentence.startsWith("How: "));
      expect(stepMarks(found ?? "")).toHaveLength(said.length);
      for (const each of said) expect(found).toContain(each);
    },
  );
  fc.assert(property, { numRuns: 200 });
});
