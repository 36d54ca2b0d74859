import { expect, test } from "bun:test";
import type { Brief } from "../../../../src/domain/ai/models.ts";
import { scenarioByRules } from "../../../../src/providers/local/words/scenario.ts";

const brief = (productName: string, productDescription: string, more: Partial<Brief> = {}): Brief => ({
  ...{ mode: "style_transfer", form: "film", productName, productDescription, targetAudience: "", language: "" },
  videoDurationSeconds: 16,
  ...more,
});

const words = (given: Brief) => scenarioByRules(given).scenes.map(({ text_overlay }) => text_overlay);

test("a film says what its brief says, and calls with the brief's own words", () => {
  const text = "Foldaway, a folding bike that fits under a desk. It folds in ten seconds and weighs nine kilos. ";
  expect(words(brief("Foldaway", `${text}Order now at foldaway.example.`))).toEqual([
    "A folding bike that fits under a desk.",
    "It folds in ten seconds.",
    "Weighs nine kilos.",
    "Order now",
  ]);
  expect(words(brief("Foldaway", text))[3]).toBe("Find out more");
});

test.each([
  ["de", "Zugvogel", "Zugvogel ist ein Rucksack für Regen und Rad. Er hält 25 Liter trocken.", "Mehr erfahren"],
  ["ar", "نسيم", "نسيم، مروحة صغيرة تعمل بالشمس. تعمل ثماني ساعات بشحنة واحدة.", "اعرف المزيد"],
  ["ja", "ツバメ", "ツバメは、机の下に入る折りたたみ自転車です。十秒でたためます。", "詳しくはこちら"],
])("in %s a film has the words of its brief", (_, name, text, call) => {
  const [line, ...others] = words(brief(name, text));
  expect(others.at(-1)).toBe(call);
  expect(line ?? others[0]).toBeTruthy();
  const said = [line, ...others.slice(0, -1)].join("");
  expect(said).not.toContain("Made for");
});

test.each([
  ["بيت القهوة", "بيت القهوة: محمصة صغيرة في عمّان. نحمّص الحبوب كل صباح. اطلب الآن من baytqahwa.example", "اطلب الآن"],
  ["みずほ", "みずほ：箱根の小さな旅館です。夕食は地元の野菜です。ご予約は mizuho.example まで。", "ご予約"],
  ["ラサ", "ラサは荷物を運ぶ自転車です。電池は一日持ちます。試乗を予約。", "試乗を予約"],
  ["فيلو", "فيلو: دراجة للمدينة. وزنها تسعة كيلوغرامات. اطلبها على velo.example.", "اطلبها"],
  ["Mielle", "Mielle : le miel des Alpes. Récolté à la main. Commandez sur mielle.example.", "Commandez"],
])("the call of %s ends before the address, and without the word that leads to it", (name, text, call) => {
  expect(words(brief(name, text)).at(-1)).toBe(call);
});

test("a fact is shown without the address after it", () => {
  const text =
    "Ledgerly: bookkeeping for freelancers. Free for 30 days, then €12 a month. ledgerly.example. Start free.";
  expect(words(brief("Ledgerly", text)).join(" ")).not.toContain("ledgerly.example");
  const card = "Felswerk: 240 Routen. Tageskarte für 14,50 € auf felswerk.example.";
  expect(words(brief("Felswerk", card))).toContain("Tageskarte für 14,50 €.");
  expect(words(brief("Shuttle", "Shuttle: a server for teams. It is built on Node.js.")).join(" ")).toContain(
    "Node.js",
  );
});

test.each([
  [
    "Marta",
    "I'm Marta and I repair bikes in Bristol. I come to your door with every tool. Full service £65.",
    "I repair bikes in Bristol.",
  ],
  ["Tom", "Hi, I'm Tom, a piano teacher in Leeds. First lesson free. £30 an hour.", "A piano teacher in Leeds."],
  [
    "Jana",
    "Ich bin Jana und backe Brot in Leipzig. Jeden Samstag auf dem Markt. Laib ab 5 €.",
    "Ich backe Brot in Leipzig.",
  ],
])("%s says what they do, after their name", (name, text, said) => {
  expect(words(brief(name, text))[0]).toBe(said);
});

test("a film in another language than its brief does not mix both", () => {
  const said = words(brief("Foldaway", "A folding bike that fits under the desk.", { language: "de" }));
  expect(said.join(" ")).not.toContain("folding");
});

test.each([1, 2, 3, 7, 40])("a film of %d scenes shows the product first", (sceneCount) => {
  const { scenes } = scenarioByRules(brief("Foldaway", "It folds.", { sceneCount }));
  expect(scenes).toHaveLength(sceneCount);
  expect(scenes[0]!.image_prompt).toStartWith("Hero shot");
});

test("a brief of a name alone gets no words that it does not have", () => {
  expect(words(brief("Kestrel", "Kestrel"))).toEqual([null, null, null, "Find out more"]);
});

test("a single fact runs over the scenes, without the name before it", () => {
  const said = words(brief("Fjord Rope", "Fjord Rope makes climbing ropes in Bergen"));
  expect(said).toEqual([null, "Makes climbing ropes", "in Bergen", "Find out more"]);
});

test("a list of what a product does is not parted", () => {
  const text =
    "Billwire is an invoice API. One call creates, sends and reconciles an invoice in 46 countries. Read the docs.";
  expect(words(brief("Billwire", text))).toEqual([
    "An invoice API.",
    "One call creates, sends and reconciles an invoice",
    "in 46 countries.",
    "Read the docs",
  ]);
});

test("a number is not parted at its comma, nor a list before its last thing", () => {
  const facts = [
    "A gym in an old factory.",
    "1,200 square metres of walls.",
    "Take it onto the train, or under your desk.",
  ];
  expect(words(brief("Kante", `Kante. ${facts.join(" ")}`)).slice(0, 3)).toEqual(facts);
});

test("a sentence that no scene can show whole is parted, and none is cut", () => {
  const long =
    "Frische Vollmilch von siebzehn Familienbetrieben aus dem bayerischen Voralpenland, täglich abgefüllt und ohne Umwege geliefert.";
  expect(
    words(brief("Hof", `Hof. ${long} Jede Flasche ist Mehrweg. Am Morgen vor der Tür. Ohne Abo.`)).slice(0, 2),
  ).toEqual([
    "Frische Vollmilch von siebzehn Familienbetrieben aus dem bayerischen Voralpenland.",
    "Täglich abgefüllt und ohne Umwege geliefert.",
  ]);
});

test.each([
  ["Order your first jar with free shipping today at kern.example.", "Order your first jar with free shipping today"],
  ["Hol dir eine Flasche, solange es welche gibt, auf morva.example.", "Hol dir eine Flasche, solange es welche gibt"],
  ["Book a table for the whole family before the long winter ends.", "Book a table for the whole family"],
])("a call of many words is kept as it is where two lines hold it, else shortened by sense: %s", (call, kept) => {
  expect(words(brief("Kern", `Kern. A tooth powder. ${call}`)).at(-1)).toBe(kept);
});

test.each([
  [3, 2],
  [4, 2],
  [6, 3],
  [9, 4],
  [20, 4],
])("a film of %d seconds without a wish has %d scenes of a short brief", (videoDurationSeconds, count) => {
  expect(words(brief("Foldaway", "Foldaway folds.", { videoDurationSeconds }))).toHaveLength(count);
});
