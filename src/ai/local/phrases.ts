/** Words on screen that hold for any product; `{name}` is its name. */
export type Phrases = {
  readonly hook: string;
  readonly meet: string;
  readonly moment: string;
  readonly action: string;
  /** For a product without a name. */
  readonly see: string;
};

type Language = {
  readonly called: RegExp;
  /** Letters that no other language of this table uses. */
  readonly script?: RegExp;
  /** Small words that tell it from the others of its script. */
  readonly small?: RegExp;
  readonly phrases: Phrases;
};

const languages: Record<string, Language> = {
  en: {
    called: /^(en|eng|english|englisch|anglais|inglés|inglese|inglês)\b/iu,
    small: /\b(the|and|with|for|your|you|that|is|are|of|to|from|it)\b/giu,
    phrases: {
      hook: "Look closer.",
      meet: "Meet {name}.",
      moment: "Made for moments like this.",
      action: "Try {name} today.",
      see: "See for yourself.",
    },
  },
  de: {
    called: /^(de|deu|ger|german|deutsch|allemand|alemán|tedesco|alemão)\b/iu,
    small: /\b(der|die|das|und|mit|für|ist|ein|eine|nicht|auf|von|zu|den|dein|ihr)\b/giu,
    phrases: {
      hook: "Schau genauer hin.",
      meet: "Das ist {name}.",
      moment: "Für Momente wie diesen.",
      action: "Jetzt {name} entdecken.",
      see: "Überzeug dich selbst.",
    },
  },
  fr: {
    called: /^(fr|fra|fre|french|français|francais|französisch|francés|francese|francês)(?![\p{L}])/iu,
    small: /\b(le|la|les|et|des|avec|pour|est|un|une|vous|votre|du|dans|sur)\b/giu,
    phrases: {
      hook: "Regardez de plus près.",
      meet: "Voici {name}.",
      moment: "Pour des moments comme celui-ci.",
      action: "Découvrez {name}.",
      see: "Voyez par vous-même.",
    },
  },
  es: {
    called: /^(es|spa|spanish|español|espanol|castellano|spanisch|espagnol|spagnolo|espanhol)(?![\p{L}])/iu,
    small: /\b(el|los|las|y|con|para|es|una|tu|que|del|en|más|por)\b/giu,
    phrases: {
      hook: "Mira más de cerca.",
      meet: "Te presentamos {name}.",
      moment: "Para momentos como este.",
      action: "Descubre {name}.",
      see: "Descúbrelo.",
    },
  },
  it: {
    called: /^(it|ita|italian|italiano|italienisch|italien)\b/iu,
    small: /\b(il|gli|e|con|per|è|una|che|di|della|del|tuo|nel|più)\b/giu,
    phrases: {
      hook: "Guarda più da vicino.",
      meet: "Ecco {name}.",
      moment: "Per momenti come questo.",
      action: "Scopri {name}.",
      see: "Scoprilo.",
    },
  },
  pt: {
    called: /^(pt|por|portuguese|português|portugues|portugiesisch|portugais|portugués|portoghese)(?![\p{L}])/iu,
    small: /\b(o|os|as|e|com|para|é|uma|um|que|do|da|seu|sua|não|em|mais)\b/giu,
    phrases: {
      hook: "Olhe mais de perto.",
      meet: "Conheça {name}.",
      moment: "Para momentos como este.",
      action: "Descubra {name}.",
      see: "Descubra.",
    },
  },
  ru: {
    called: /^(ru|rus|russian|русский|russisch|russe|ruso|russo)(?![\p{L}])/iu,
    script: /\p{Script=Cyrillic}/u,
    phrases: {
      hook: "Присмотритесь.",
      meet: "Знакомьтесь: {name}.",
      moment: "Для таких моментов.",
      action: "Попробуйте {name}.",
      see: "Убедитесь сами.",
    },
  },
  ar: {
    called: /^(ar|ara|arabic|العربية|عربي|arabisch|arabe|árabe|arabo)(?![\p{L}])/iu,
    script: /\p{Script=Arabic}/u,
    phrases: {
      hook: "انظر عن قرب.",
      meet: "إليك {name}.",
      moment: "للحظات كهذه.",
      action: "جرّب {name} اليوم.",
      see: "اكتشف بنفسك.",
    },
  },
  hi: {
    called: /^(hi|hin|hindi|हिन्दी|हिंदी)(?![\p{L}])/iu,
    script: /\p{Script=Devanagari}/u,
    phrases: {
      hook: "ज़रा गौर से देखिए।",
      meet: "मिलिए {name} से।",
      moment: "ऐसे ही पलों के लिए।",
      action: "आज ही {name} आज़माएँ।",
      see: "खुद देखिए।",
    },
  },
  ja: {
    called: /^(ja|jp|jpn|japanese|日本語|japanisch|japonais|japonés|giapponese|japonês)(?![\p{L}])/iu,
    script: /[\p{Script=Hiragana}\p{Script=Katakana}]/u,
    phrases: {
      hook: "よく見てください。",
      meet: "{name}、登場。",
      moment: "こんな瞬間のために。",
      action: "{name}を、今日から。",
      see: "ぜひご覧ください。",
    },
  },
  zh: {
    called:
      /^(zh|zho|chi|cn|chinese|mandarin|中文|汉语|漢語|普通话|简体中文|繁體中文|chinesisch|chinois|chino|cinese|chinês)(?![\p{L}])/iu,
    script: /\p{Script=Han}/u,
    phrases: {
      hook: "走近一点看。",
      meet: "这就是{name}。",
      moment: "为这样的时刻而生。",
      action: "今天就试试{name}。",
      see: "亲自看看。",
    },
  },
  ko: {
    called: /^(ko|kr|kor|korean|한국어|koreanisch|coréen|coreano)(?![\p{L}])/iu,
    script: /\p{Script=Hangul}/u,
    phrases: {
      hook: "가까이 보세요.",
      meet: "소개합니다, {name}.",
      moment: "이런 순간을 위해.",
      action: "오늘 {name} 만나보세요.",
      see: "직접 확인하세요.",
    },
  },
};

/** A two-letter tag, or undefined for a language that is not in the table. */
export const languageCalled = (name: string): string | undefined =>
  Object.entries(languages).find(([, { called }]) => called.test(name.trim().normalize("NFC")))?.[0];

/** The language a text is written in, as far as letters and small words tell. */
export function languageOf(text: string): string | undefined {
  const byScript = Object.entries(languages).find(([, { script }]) => script?.test(text));
  if (byScript) return byScript[0];
  const counts = Object.entries(languages).map(([code, { small }]) => ({
    code,
    count: small ? (text.match(small)?.length ?? 0) : 0,
  }));
  const most = counts.reduce((best, one) => (one.count > best.count ? one : best));
  return most.count > 0 ? most.code : undefined;
}

export const phrasesOf = (code: string): Phrases | undefined => languages[code]?.phrases;
