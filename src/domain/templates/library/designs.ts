import type { Design, TextBlock } from "./design.ts";

const fading = { animateIn: "fade", animateOut: "fade" } as const;
const sliding = { animateIn: "slideup", animateOut: "fade" } as const;
const popping = { animateIn: "pop", animateOut: "fade" } as const;

const lowerThird: Design = {
  id: "lower-third",
  name: "Lower third",
  description: "Who speaks: a name, and below it what the person does.",
  tags: ["name", "title"],
  placeholders: [
    { key: "name", description: "Who is on the screen.", example: "Maya Lindqvist" },
    { key: "role", description: "What the person does.", example: "Founder and head baker" },
  ],
  slots: [],
  size: { width: 760, height: 290 },
  position: { x: 0, y: 0.94 },
  texts: [
    {
      id: "name",
      area: { x: 0, y: 0, width: 760, height: 164 },
      fontSize: 64,
      box: { color: "primary", padding: 22, radius: 10 },
      style: { align: "left", verticalAlign: "bottom", fontWeight: 800, lineHeight: 1.15, ...sliding },
    },
    {
      id: "role",
      area: { x: 0, y: 164, width: 760, height: 126 },
      fontSize: 40,
      box: { color: "accent", padding: 20, radius: 10 },
      style: { align: "left", verticalAlign: "top", fontWeight: 600, lineHeight: 1.2, ...sliding },
    },
  ],
  images: [],
};

const priceTag: Design = {
  id: "price-tag",
  name: "Price tag",
  description: "A product with its price, and a line for what it cost before or until when it is valid.",
  tags: ["price", "sale"],
  placeholders: [
    { key: "product", description: "What is sold.", example: "Enamel mug, 350 ml" },
    { key: "price", description: "The price with its currency.", example: "$18.90" },
    { key: "note", description: "The earlier price, or until when this one is valid.", example: "was $24.00" },
  ],
  slots: [],
  size: { width: 640, height: 470 },
  position: { x: 1, y: 0.06 },
  texts: [
    {
      id: "product",
      area: { x: 0, y: 0, width: 640, height: 140 },
      fontSize: 40,
      box: { color: "background", padding: 20, radius: 14 },
      style: { align: "right", verticalAlign: "bottom", fontWeight: 600, lineHeight: 1.15, ...fading },
    },
    {
      id: "price",
      area: { x: 0, y: 150, width: 640, height: 184 },
      fontSize: 120,
      box: { color: "accent", padding: 26, radius: 28 },
      style: { align: "right", fontWeight: 900, lineHeight: 1.1, ...popping },
    },
    {
      id: "note",
      area: { x: 0, y: 344, width: 640, height: 126 },
      fontSize: 34,
      box: { color: "background", padding: 16, radius: 12 },
      style: { align: "right", verticalAlign: "top", fontWeight: 500, lineHeight: 1.2, ...fading },
    },
  ],
  images: [],
};

const endCard: Design = {
  id: "end-card",
  name: "End card",
  description: "The last third of a video: what to remember, what to do, and where.",
  tags: ["end", "call to action"],
  placeholders: [
    { key: "headline", description: "What to remember.", example: "Fresh bread, every morning" },
    { key: "action", description: "What to do.", example: "Order now" },
    { key: "address", description: "Where: an address on the web, or of a shop.", example: "brightloaf.example" },
  ],
  slots: [{ name: "logo", description: "Above the headline." }],
  size: { width: 760, height: 930 },
  position: { x: 0.5, y: 0.45 },
  timing: { startPercent: 70, endPercent: 100 },
  texts: [
    {
      id: "headline",
      area: { x: 0, y: 220, width: 760, height: 380 },
      fontSize: 92,
      box: { color: "background", padding: 40, radius: 32 },
      style: { verticalAlign: "bottom", fontWeight: 800, lineHeight: 1.12, ...sliding },
    },
    {
      id: "action",
      area: { x: 20, y: 620, width: 720, height: 160 },
      fontSize: 60,
      box: { color: "accent", padding: 32, radius: 68 },
      style: { fontWeight: 800, lineHeight: 1.15, ...popping },
    },
    {
      id: "address",
      area: { x: 20, y: 800, width: 720, height: 130 },
      fontSize: 42,
      box: { color: "background", padding: 20, radius: 16 },
      style: { verticalAlign: "top", fontWeight: 600, lineHeight: 1.2, ...fading },
    },
  ],
  images: [{ slot: "logo", area: { x: 240, y: 0, width: 280, height: 200 } }],
};

const quote: Design = {
  id: "quote",
  name: "Quote",
  description: "What someone said, under the name of who said it.",
  tags: ["quote", "review"],
  placeholders: [
    { key: "author", description: "Who said it.", example: "Jonas, regular since 2019" },
    {
      key: "quote",
      description: "What was said, with the quotation marks of its language.",
      example: "“The best sourdough I have had outside of San Francisco.”",
    },
  ],
  slots: [],
  size: { width: 760, height: 700 },
  position: { x: 0.5, y: 0.5 },
  texts: [
    {
      id: "author",
      area: { x: 0, y: 0, width: 760, height: 130 },
      fontSize: 42,
      box: { color: "accent", padding: 24, radius: 16 },
      style: { align: "left", verticalAlign: "bottom", fontWeight: 700, lineHeight: 1.2, ...fading },
    },
    {
      id: "quote",
      area: { x: 0, y: 142, width: 760, height: 558 },
      fontSize: 72,
      box: { color: "primary", padding: 44, radius: 28 },
      style: { align: "left", verticalAlign: "top", fontWeight: 600, lineHeight: 1.22, ...sliding },
    },
  ],
  images: [],
};

const countdownNumber = (text: string, startSeconds: number): TextBlock => ({
  id: `count-${text}`,
  text,
  area: { x: 180, y: 170, width: 400, height: 380 },
  fontSize: 260,
  box: { color: "accent", padding: 60, radius: 60 },
  timing: { startSeconds, endSeconds: startSeconds + 1 },
  style: { fontWeight: 900, lineHeight: 0.98, verticalAlign: "top", animateIn: "pop" },
});

const countdown: Design = {
  id: "countdown",
  name: "Countdown",
  description: "Three seconds down to a word, at the start of a video.",
  tags: ["countdown", "start"],
  placeholders: [
    { key: "label", description: "What comes after the count.", example: "Sale starts in" },
    { key: "start", description: "What is shown after the last second.", example: "Go!" },
  ],
  slots: [],
  size: { width: 760, height: 550 },
  position: { x: 0.5, y: 0.45 },
  texts: [
    {
      id: "label",
      area: { x: 0, y: 0, width: 760, height: 150 },
      fontSize: 56,
      box: { color: "background", padding: 26, radius: 20 },
      timing: { startSeconds: 0, endSeconds: 3 },
      style: { verticalAlign: "bottom", fontWeight: 700, lineHeight: 1.2, animateIn: "fade" },
    },
    countdownNumber("3", 0),
    countdownNumber("2", 1),
    countdownNumber("1", 2),
    {
      id: "start",
      area: { x: 0, y: 100, width: 760, height: 400 },
      fontSize: 150,
      box: { color: "accent", padding: 46, radius: 40 },
      timing: { startSeconds: 3, endSeconds: 4.5 },
      style: { fontWeight: 900, lineHeight: 1.1, ...popping },
    },
  ],
  images: [],
};

const firstHalf = { startPercent: 0, endPercent: 50 };
const secondHalf = { startPercent: 50, endPercent: 100 };

const beforeAfterLabel = (id: string, box: "background" | "accent", timing: typeof firstHalf): TextBlock => ({
  id,
  area: { x: 0, y: 192, width: 700, height: 120 },
  fontSize: 56,
  box: { color: box, padding: 20, radius: 16 },
  timing,
  style: { align: "left", verticalAlign: "top", fontWeight: 800, lineHeight: 1.15, ...fading },
});

const beforeAndAfter: Design = {
  id: "before-after",
  name: "Before and after",
  description: "A headline over the whole video; the first half is labelled as before, the second as after.",
  tags: ["comparison"],
  placeholders: [
    { key: "headline", description: "What has changed.", example: "One week of morning light" },
    { key: "before", description: "The label of the first half.", example: "Before" },
    { key: "after", description: "The label of the second half.", example: "After" },
  ],
  slots: [
    { name: "before", description: "Shown in the first half; without it the video itself is." },
    { name: "after", description: "Shown in the second half; without it the video itself is." },
  ],
  size: { width: 760, height: 940 },
  position: { x: 0, y: 0 },
  texts: [
    {
      id: "headline",
      area: { x: 0, y: 0, width: 760, height: 180 },
      fontSize: 58,
      box: { color: "primary", padding: 24, radius: 16 },
      style: { align: "left", verticalAlign: "bottom", fontWeight: 800, lineHeight: 1.15, ...fading },
    },
    beforeAfterLabel("before", "background", firstHalf),
    beforeAfterLabel("after", "accent", secondHalf),
  ],
  images: [
    { slot: "before", area: { x: 0, y: 324, width: 760, height: 616 }, timing: firstHalf },
    { slot: "after", area: { x: 0, y: 324, width: 760, height: 616 }, timing: secondHalf },
  ],
};

const listItem = (number: number): TextBlock => ({
  id: `item-${number}`,
  text: `{{item${number}}}`,
  area: { x: 0, y: 202 + (number - 1) * 138, width: 760, height: 128 },
  fontSize: 48,
  box: { color: "background", padding: 22, radius: 18 },
  timing: { startPercent: 10 + (number - 1) * 20, endPercent: 100 },
  style: { align: "left", fontWeight: 600, lineHeight: 1.15, ...sliding },
});

const list: Design = {
  id: "list",
  name: "List",
  description: "A title and three points that come one after another.",
  tags: ["list", "steps"],
  placeholders: [
    { key: "title", description: "What the points are about.", example: "Three steps to better coffee" },
    { key: "item1", description: "The first point.", example: "1. Grind right before brewing" },
    { key: "item2", description: "The second point.", example: "2. Rinse the paper filter" },
    { key: "item3", description: "The third point.", example: "3. Pour in slow circles" },
  ],
  slots: [],
  size: { width: 760, height: 606 },
  position: { x: 0, y: 0.35 },
  texts: [
    {
      id: "title",
      area: { x: 0, y: 0, width: 760, height: 180 },
      fontSize: 64,
      box: { color: "accent", padding: 26, radius: 18 },
      style: { align: "left", verticalAlign: "bottom", fontWeight: 800, lineHeight: 1.12, ...fading },
    },
    listItem(1),
    listItem(2),
    listItem(3),
  ],
  images: [],
};

const logoSting: Design = {
  id: "logo-sting",
  name: "Logo sting",
  description: "The first seconds of a video: a logo, the name of the brand and its line.",
  tags: ["logo", "start"],
  placeholders: [
    { key: "brand", description: "The name of the brand.", example: "Bright Loaf" },
    { key: "tagline", description: "Its line.", example: "Baked before sunrise" },
  ],
  slots: [{ name: "logo", description: "Above the name." }],
  size: { width: 760, height: 880 },
  position: { x: 0.5, y: 0.45 },
  timing: { startSeconds: 0, endSeconds: 2.5 },
  texts: [
    {
      id: "brand",
      area: { x: 0, y: 460, width: 760, height: 260 },
      fontSize: 110,
      box: { color: "primary", padding: 36, radius: 24 },
      style: { verticalAlign: "bottom", fontWeight: 900, lineHeight: 1.05, ...popping },
    },
    {
      id: "tagline",
      area: { x: 0, y: 734, width: 760, height: 146 },
      fontSize: 44,
      box: { color: "accent", padding: 22, radius: 16 },
      style: { verticalAlign: "top", fontWeight: 600, lineHeight: 1.2, ...sliding },
    },
  ],
  images: [{ slot: "logo", area: { x: 170, y: 0, width: 420, height: 440 } }],
};

export const designs: readonly Design[] = [
  lowerThird,
  priceTag,
  endCard,
  quote,
  countdown,
  beforeAndAfter,
  list,
  logoSting,
];
