import { z } from "zod";
import { type Disclosure, disclosurePlaces, isFromTheRight } from "../../engine/timeline/disclosure.ts";
import { type FrameRate, intersection, toFrame } from "../../engine/timeline/time.ts";
import { maxVideoSeconds, named, optional } from "../shared/schemas.ts";

const seconds = z.number().min(0).max(maxVideoSeconds);

const Label = named(
  "Disclosure",
  z
    .object({
      text: optional(z.string().trim().min(1).max(200)).describe(
        "By default that a film contains AI-generated parts, in the language of the captions or of the work, else in English.",
      ),
      from: optional(seconds).describe("Seconds on the timeline; 0 by default."),
      to: optional(seconds).describe("Seconds on the timeline, after from; 6 seconds later by default."),
      place: optional(z.enum(disclosurePlaces)).describe(
        "The position in the safe zone of each target; a free one by default, first `top_left`, or `top_right` for languages written from the right.",
      ),
    })
    .refine(({ from = 0, to }) => to === undefined || to > from, { path: ["to"], message: "Must be later than from." }),
);

export const DisclosureRequest = z.union([z.enum(["auto", "off"]), Label], {
  error: ({ errors }) => {
    const [wrong] = (errors as z.core.$ZodIssue[][] | undefined)?.at(-1) ?? [];
    if (!wrong || wrong.path.length === 0) return "Must be auto, off, or an object with text, from, to and place.";
    return `Has a wrong ${wrong.path.join(".")}: ${wrong.message}`;
  },
});
export type DisclosureRequest = z.output<typeof DisclosureRequest>;

const defaultSeconds = 6;

/** The words beside the icon, by language. */
const labels: Readonly<Record<string, string>> = {
  ar: "يحتوي على محتوى مُولَّد بالذكاء الاصطناعي",
  bg: "Съдържа съдържание, създадено с ИИ",
  cs: "Obsahuje obsah vytvořený umělou inteligencí",
  da: "Indeholder AI-genereret indhold",
  de: "Enthält KI-generierte Inhalte",
  el: "Περιέχει περιεχόμενο που δημιουργήθηκε με ΤΝ",
  en: "Contains AI-generated content",
  es: "Contiene contenido generado con IA",
  et: "Sisaldab tehisintellektiga loodud sisu",
  fi: "Sisältää tekoälyllä tuotettua sisältöä",
  fr: "Contient du contenu généré par l’IA",
  he: "מכיל תוכן שנוצר בבינה מלאכותית",
  hi: "इसमें AI से बनी सामग्री है",
  hr: "Sadrži sadržaj stvoren umjetnom inteligencijom",
  hu: "MI által létrehozott tartalmat tartalmaz",
  it: "Contiene contenuti generati con l’IA",
  ja: "AIで生成されたコンテンツを含みます",
  ko: "AI로 생성된 콘텐츠가 포함되어 있습니다",
  lt: "Yra dirbtinio intelekto sukurto turinio",
  lv: "Satur mākslīgā intelekta radītu saturu",
  nl: "Bevat door AI gegenereerde inhoud",
  pl: "Zawiera treści wygenerowane przez AI",
  pt: "Contém conteúdo gerado por IA",
  ro: "Include conținut generat cu IA",
  ru: "Содержит материалы, созданные ИИ",
  sk: "Obsahuje obsah vytvorený umelou inteligenciou",
  sl: "Vsebuje vsebino, ustvarjeno z umetno inteligenco",
  sv: "Innehåller AI-genererat innehåll",
  tr: "Yapay zekâ ile üretilmiş içerik barındırır",
  uk: "Містить матеріали, створені ШІ",
  zh: "含有人工智能生成的内容",
};

const fromTheRight: ReadonlySet<string> = new Set(["ar", "fa", "he", "ur"]);

type LabelledVideo = {
  readonly frames: number;
  readonly rate: FrameRate;
  /** A BCP 47 tag. */
  readonly language: string | undefined;
  readonly hasGeneratedParts: boolean;
};

/** The label of a film. `auto` shows one if a part of it came from a trained model. */
export function discloseIn(request: DisclosureRequest | undefined, film: LabelledVideo): Disclosure | undefined {
  const { frames, rate, language = "en", hasGeneratedParts } = film;
  if (request === undefined || request === "off" || (request === "auto" && !hasGeneratedParts)) return undefined;
  const { from = 0, to = from + defaultSeconds, text, place } = request === "auto" ? {} : request;
  const start = toFrame(from, rate);
  const range = intersection({ start, end: Math.max(start + 1, toFrame(to, rate)) }, { start: 0, end: frames });
  const primary = language.toLowerCase().split("-")[0]!; // safe because a split has a first part
  const words = text ?? labels[primary] ?? labels.en!;
  // words of another script begin on the side of the film's language
  const isForeign = fromTheRight.has(primary) && !isFromTheRight(words);
  return range && { text: words, range, place: place ?? (isForeign ? "top_right" : undefined) };
}
