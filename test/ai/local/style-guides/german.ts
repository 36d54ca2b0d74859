import type { StyleGuideText } from "./style-guide-text.ts";

export const germanTexts: readonly StyleGuideText[] = [
  {
    name: "fields with colons",
    text: `Ton: herzlich, ehrlich, ein bisschen frech
Tempo: mittel
Farben: Dunkelblau (#14213d), Orange #fca311
Kamera: nah dran, aus der Hand
Immer zeigen: Papiertüte, dampfende Tasse
Nie zeigen: Plastikbecher, gestelltes Lächeln`,
    expected: {
      tone: "herzlich, ehrlich, ein bisschen frech",
      tempo: "medium",
      color_palette: ["#14213d", "#fca311"],
      camera_style: "nah dran, aus der Hand",
      must_include: ["Papiertüte", "dampfende Tasse"],
      must_avoid: ["Plastikbecher", "gestelltes Lächeln"],
    },
  },
  {
    name: "prose about a brand",
    text: "Unsere Marke ist bodenständig und warm. Die Schnitte sind ruhig, nicht hektisch. Wir duzen unsere Kunden und schreiben in kurzen Sätzen. Bitte keine Stockfotos und keinen Text im Bild. Das Logo muss immer am Ende zu sehen sein.",
    expected: {
      tone: "bodenständig, warm",
      tempo: "slow",
      brand_voice: "Wir duzen unsere Kunden und schreiben in kurzen Sätzen.",
      must_include: ["Logo am Ende"],
      must_avoid: ["Stockfotos", "Text im Bild"],
    },
  },
  {
    name: "bullets under So ja and So nicht",
    text: "So ja:\n• echte Kunden\n• Tageslicht\n\nSo nicht:\n• Drohnenaufnahmen\n• Zeitlupe\n• grelle Farben",
    expected: {
      must_include: ["echte Kunden", "Tageslicht"],
      must_avoid: ["Drohnenaufnahmen", "Zeitlupe", "grelle Farben"],
    },
  },
  {
    name: "one line",
    text: "modern, nicht zu schnell, Blau und Weiß, ohne Menschen",
    expected: {
      tone: "modern",
      tempo: "medium",
      color_palette: ["#0000ff", "#ffffff"],
      must_avoid: ["Menschen"],
    },
  },
  {
    name: "three prohibitions",
    text: "Das Video soll weder langsam noch schnell sein. Keine Sprecherstimme!! Auf gar keinen Fall Konkurrenzprodukte zeigen.",
    expected: { tempo: "medium", must_avoid: ["Sprecherstimme", "Konkurrenzprodukte"] },
  },
  {
    name: "Markdown headings and numbered lists",
    text: `## Tonalität
Sachlich, präzise, vertrauenswürdig – aber nicht langweilig.

## Kamera
Ruhige Fahrten, keine Wackelkamera.

## Muss rein
1. Prüfsiegel
2. Werkstatt in Jena

## Darf nicht rein
1. Preise
2. Namen von Kunden`,
    expected: {
      tone: "Sachlich, präzise, vertrauenswürdig",
      camera_style: "Ruhige Fahrten",
      must_include: ["Prüfsiegel", "Werkstatt in Jena"],
      must_avoid: ["langweilig", "Wackelkamera", "Preise", "Namen von Kunden"],
    },
  },
  {
    name: "a company text that says nothing about style",
    text: "Wir liefern schnell und ohne Versandkosten. Unsere langsam gereiften Käse kommen aus dem Allgäu. Es gibt keine Mindestbestellmenge. Bestellungen müssen bis 12 Uhr eingehen.",
    expected: {},
  },
  {
    name: "short sentences about color, tempo and address",
    text: "Farbwelt: Dunkelgrün, Beige und ein kräftiges Rot. Kein Schwarz. Schnelle Schnitte, treibender Rhythmus. Ansprache per Sie.",
    expected: {
      tempo: "fast",
      color_palette: ["#006400", "#f5f5dc", "#ff0000"],
      brand_voice: "Ansprache per Sie.",
      must_avoid: ["Schwarz"],
    },
  },
  {
    name: "a message from a café",
    text: "Hallo, wir brauchen ein Reel für unser Café. Es soll gemütlich wirken, nicht zu perfekt. Musik eher ruhig. Bitte unbedingt unseren Hund Bruno zeigen! Was gar nicht geht: Stockvideos und Emojis.",
    expected: {
      tone: "gemütlich",
      must_include: ["unseren Hund Bruno"],
      must_avoid: ["zu perfekt", "Stockvideos", "Emojis"],
    },
  },
  {
    name: "fields in capitals",
    text: `TONALITÄT: ernst, respektvoll
TEMPO: langsam bis mittel
KAMERA: dokumentarisch, keine Inszenierung
FARBEN: gedeckte Töne, #3A3A3A + #8D99AE
PFLICHT: Quellenangabe, Logo unten rechts
VERBOTEN: Blut, Gesichter von Opfern, Spekulation`,
    expected: {
      tone: "ernst, respektvoll",
      tempo: "medium",
      color_palette: ["#3a3a3a", "#8d99ae"],
      camera_style: "dokumentarisch",
      must_include: ["Quellenangabe", "Logo unten rechts"],
      must_avoid: ["Inszenierung", "Blut", "Gesichter von Opfern", "Spekulation"],
    },
  },
  {
    name: "a loud spot",
    text: "Der Spot darf ruhig laut und schräg sein, aber niemals zynisch. Schnelle Schnitte zum Beat. Pink, Gelb, Türkis. Am Schluss muss der Hashtag stehen.",
    expected: {
      tone: "laut, schräg",
      tempo: "fast",
      color_palette: ["#ffc0cb", "#ffff00", "#40e0d0"],
      must_include: ["Hashtag am Schluss"],
      must_avoid: ["zynisch"],
    },
  },
  {
    name: "short orders",
    text: "Keine Gesichter. Keine Marken anderer Hersteller. Kein Text. Nur Hände, Holz, Werkzeug. Kamera statisch von oben. Schnitt langsam.",
    expected: {
      tempo: "slow",
      camera_style: "Kamera statisch von oben.",
      must_include: ["Hände", "Holz", "Werkzeug"],
      must_avoid: ["Gesichter", "Marken anderer Hersteller", "Text"],
    },
  },
  {
    name: "the page of a furniture maker",
    text: "Seit 1987 fertigen wir Möbel aus massivem Holz. Unsere Tische sind zeitlos, unsere Preise fair. Rücksendung ohne Angabe von Gründen. Bitte beachten Sie: keine Barzahlung. Kontakt: Mo–Fr.",
    expected: {},
  },
  {
    name: "wishes with exceptions",
    text: "Wir möchten, dass man sich wie zu Hause fühlt: warmes Licht, Holz, Pflanzen. Auf Drohnen verzichten wir. Wir siezen nie. Ein bisschen Humor ist erlaubt, Ironie nicht.",
    expected: { brand_voice: "Wir siezen nie.", must_avoid: ["Drohnen", "Ironie"] },
  },
  {
    name: "English headings over German lists",
    text: "Do's:\n– Produkt in den ersten 3 Sekunden\n– Untertitel\nDon'ts:\n– schneller Schnitt\n– Clickbait",
    expected: {
      tempo: "medium",
      must_include: ["Produkt in den ersten 3 Sekunden", "Untertitel"],
      must_avoid: ["schneller Schnitt", "Clickbait"],
    },
  },
  {
    name: "yes and no behind the things",
    text: "Kamerafahrten ja, Zooms nein. Sprache: einfach, kein Fachchinesisch. Grün (#2D6A4F) ist Pflicht, Rot ist tabu.",
    expected: {
      color_palette: ["#2d6a4f"],
      camera_style: "Kamerafahrten ja",
      brand_voice: "einfach",
      must_include: ["Grün (#2D6A4F)"],
      must_avoid: ["Zooms", "Fachchinesisch", "Rot"],
    },
  },
  {
    name: "fields in one paragraph, each with what it is not",
    text: "Tempo: eher ruhig, nicht zu langsam. Ton: nahbar und kompetent, nie belehrend. Immer zu sehen: Praxislogo. Nie zu sehen: Spritzen, Blut, weinende Kinder. Farben: Mint und Weiß.",
    expected: {
      tone: "nahbar und kompetent",
      tempo: "slow",
      color_palette: ["#9fe3c5", "#ffffff"],
      must_include: ["Praxislogo"],
      must_avoid: ["belehrend", "Spritzen", "Blut", "weinende Kinder"],
    },
  },
  {
    name: "sentences that pair what is wanted with what is not",
    text: "Bitte kein Denglisch. Die Kamera ist immer auf Augenhöhe, nie von oben herab. Wir zeigen echte Kundinnen, keine Models. Humor ja, aber keine Witze auf Kosten anderer.",
    expected: {
      camera_style: "Die Kamera ist immer auf Augenhöhe, nie von oben herab.",
      must_include: ["echte Kundinnen"],
      must_avoid: ["Denglisch", "Models", "Witze auf Kosten anderer"],
    },
  },
  {
    name: "labels with and without a meaning for style",
    text: "Kurzfilm Handwerk – Stimmung: rau, ehrlich. Musik: keine. Schnitt: langsam. Licht: natürlich. Muss: Gesellenbrief an der Wand. Darf nicht: Baumarkt-Optik.",
    expected: {
      tone: "rau, ehrlich",
      tempo: "slow",
      must_include: ["Gesellenbrief an der Wand"],
      must_avoid: ["Musik", "Baumarkt-Optik"],
    },
  },
  {
    name: "a chat message in small letters",
    text: "wir wollen was freches, schnelles für tiktok. knallige farben (gelb/pink), text groß im bild, bloß keine stockmusik. logo am ende nicht vergessen",
    expected: {
      tone: "frech",
      tempo: "fast",
      color_palette: ["#ffff00", "#ffc0cb"],
      must_include: ["logo am ende"],
      must_avoid: ["stockmusik"],
    },
  },
  {
    name: "a label and sentences that deny",
    text: "Stil: minimalistisch und kühl. Tempo nicht zu langsam. Farben: Schwarz, Weiß, ein Akzent in Rot. Die Kamera bewegt sich nie. Kein Logo am Anfang, bitte nur am Ende.",
    expected: {
      tone: "minimalistisch und kühl",
      tempo: "medium",
      color_palette: ["#000000", "#ffffff", "#ff0000"],
      camera_style: "Die Kamera bewegt sich nie.",
      must_avoid: ["Logo am Anfang"],
    },
  },
  {
    name: "polite labels",
    text: "Bitte unbedingt: Untertitel, Bio-Siegel.\nBitte auf keinen Fall: Kinder, Tiere im Käfig.\nStimmung fröhlich, aber nicht albern.",
    expected: {
      tone: "fröhlich",
      must_include: ["Untertitel", "Bio-Siegel"],
      must_avoid: ["Kinder", "Tiere im Käfig", "albern"],
    },
  },
];
