import { z } from "zod";
import { type Disclosure, disclosurePlaces } from "../../timeline/disclosure.ts";
import { type FrameRate, intersection, toFrame } from "../../timeline/time.ts";
import { maxVideoSeconds, named, optional } from "../shared/schemas.ts";

const seconds = z.number().min(0).max(maxVideoSeconds);

const Label = named(
  "Disclosure",
  z.object({
    text: optional(z.string().trim().min(1).max(200)).describe(
      "By default that a film contains what AI has generated, in the language of the captions or of the work, else in English.",
    ),
    from: optional(seconds).describe("Seconds on the timeline; 0 by default."),
    to: optional(seconds).describe("Seconds on the timeline, after from; 6 seconds later by default."),
    place: optional(z.enum(disclosurePlaces)).describe(
      "In the safe zone of each target; `top_left` by default, `top_right` for languages that are written from the right.",
    ),
  }),
);

export const DisclosureRequest = z.union([z.enum(["auto", "off"]), Label]);
export type DisclosureRequest = z.output<typeof DisclosureRequest>;

const defaultSeconds = 6;

/** What viewers read, by language. Where it is written from the left, the letters for AI come first. */
const labels: Readonly<Record<string, string>> = {
  ar: "يحتوي على محتوى مُولَّد بالذكاء الاصطناعي · AI",
  bg: "ИИ · Съдържа съдържание, създадено с ИИ",
  cs: "AI · Obsahuje obsah vytvořený umělou inteligencí",
  da: "AI · Indeholder AI-genereret indhold",
  de: "KI · Enthält KI-generierte Inhalte",
  el: "AI · Περιέχει περιεχόμενο που δημιουργήθηκε με ΤΝ",
  en: "AI · Contains AI-generated content",
  es: "IA · Contiene contenido generado con IA",
  et: "AI · Sisaldab tehisintellektiga loodud sisu",
  fi: "AI · Sisältää tekoälyllä tuotettua sisältöä",
  fr: "IA · Contient du contenu généré par l’IA",
  he: "מכיל תוכן שנוצר בבינה מלאכותית · AI",
  hi: "AI · इसमें AI से बनी सामग्री है",
  hr: "AI · Sadrži sadržaj stvoren umjetnom inteligencijom",
  hu: "MI · MI által létrehozott tartalmat tartalmaz",
  it: "IA · Contiene contenuti generati con l’IA",
  ja: "AI · AIで生成されたコンテンツを含みます",
  ko: "AI · AI로 생성된 콘텐츠가 포함되어 있습니다",
  lt: "DI · Yra dirbtinio intelekto sukurto turinio",
  lv: "MI · Satur mākslīgā intelekta radītu saturu",
  nl: "AI · Bevat door AI gegenereerde inhoud",
  pl: "AI · Zawiera treści wygenerowane przez AI",
  pt: "IA · Contém conteúdo gerado por IA",
  ro: "IA · Include conținut generat cu IA",
  ru: "ИИ · Содержит материалы, созданные ИИ",
  sk: "AI · Obsahuje obsah vytvorený umelou inteligenciou",
  sl: "UI · Vsebuje vsebino, ustvarjeno z umetno inteligenco",
  sv: "AI · Innehåller AI-genererat innehåll",
  tr: "YZ · Yapay zekâ ile üretilmiş içerik barındırır",
  uk: "ШІ · Містить матеріали, створені ШІ",
  zh: "AI · 含有人工智能生成的内容",
};

const fromTheRight: ReadonlySet<string> = new Set(["ar", "fa", "he", "ur"]);

type Film = {
  readonly frames: number;
  readonly rate: FrameRate;
  /** A BCP 47 tag. */
  readonly language: string | undefined;
  readonly hasGeneratedParts: boolean;
};

/** The label of a film. `auto` shows one if a part of it came from a trained model. */
export function discloseIn(request: DisclosureRequest | undefined, film: Film): Disclosure | undefined {
  const { frames, rate, language = "en", hasGeneratedParts } = film;
  if (request === undefined || request === "off" || (request === "auto" && !hasGeneratedParts)) return undefined;
  const { from = 0, to = from + defaultSeconds, text, place } = request === "auto" ? {} : request;
  const start = toFrame(from, rate);
  const range = intersection({ start, end: Math.max(start + 1, toFrame(to, rate)) }, { start: 0, end: frames });
  const primary = language.toLowerCase().split("-")[0]!; // safe because a split has a first part
  const byDefault = fromTheRight.has(primary) ? "top_right" : "top_left";
  return range && { text: text ?? labels[primary] ?? labels.en!, range, place: place ?? byDefault };
}
