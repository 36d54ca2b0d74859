import type { StyleGuideText } from "./style-guide-text.ts";

export const englishTexts: readonly StyleGuideText[] = [
  {
    name: "labels without colons, in one paragraph",
    text: "Tone warm and honest, tempo medium. Camera handheld, close. Always show the paper bag. never show plastic cups",
    expected: {
      tone: "warm, honest",
      tempo: "medium",
      camera_style: "Camera handheld, close.",
      must_include: ["paper bag"],
      must_avoid: ["plastic cups"],
    },
  },
  {
    name: "a brief with headings DO and DON'T",
    text: `BRAND FILM – SUNDAY BAKERY

Tone: friendly, down-to-earth, never salesy
Pace: slow
Colours: #F4E3C1, #7B3F00

DO
- Show hands kneading dough
- Use natural light
- Logo in the last scene

DON'T
- stock footage
- No drone shots
- show prices!!`,
    expected: {
      tone: "friendly, down-to-earth",
      tempo: "slow",
      color_palette: ["#f4e3c1", "#7b3f00"],
      must_include: ["hands kneading dough", "natural light", "Logo in the last scene"],
      must_avoid: ["salesy", "stock footage", "drone shots", "prices"],
    },
  },
  {
    name: "one line",
    text: "calm and minimal, lots of white space, no people",
    expected: { tone: "calm, minimal", must_avoid: ["people"] },
  },
  {
    name: "prose about a brand",
    text: `We're a fintech for freelancers. Our films should feel confident and clear, not flashy. Editing is brisk but never frantic, the camera glides slowly past screens. We talk to people like a smart friend would: short sentences, no jargon. Navy and coral are our colours. Please don't use handshakes or piggy banks.`,
    expected: {
      tone: "confident, clear",
      tempo: "fast",
      color_palette: ["#000080", "#ff7f50"],
      camera_style: "the camera glides slowly past screens.",
      brand_voice: "We talk to people like a smart friend would: short sentences, no jargon.",
      must_avoid: ["flashy", "jargon", "handshakes", "piggy banks"],
    },
  },
  {
    name: "fields with careless punctuation",
    text: `TONE : Playful ,bold
TEMPO :FAST
voice= cheeky, first person
COLORS;  #ff5733 , #33C3FF,#ffd700
MUST INCLUDE : logo , product shot
Must avoid:dark mood , text clutter`,
    expected: {
      tone: "Playful, bold",
      tempo: "fast",
      brand_voice: "cheeky, first person",
      color_palette: ["#ff5733", "#33c3ff", "#ffd700"],
      must_include: ["logo", "product shot"],
      must_avoid: ["dark mood", "text clutter"],
    },
  },
  {
    name: "a note to the editor",
    text: "Energetic 15s spot for a running shoe. Not too fast please – people must be able to read the captions. Blue (#0057ff) & white. avoid: gyms, mirrors, sweat close-ups",
    expected: {
      tone: "energetic",
      tempo: "medium",
      color_palette: ["#0057ff", "#ffffff"],
      must_avoid: ["gyms", "mirrors", "sweat close-ups"],
    },
  },
  {
    name: "a company text that says nothing about style",
    text: "Nordlicht Coffee GmbH was founded in 2011. We deliver fast: orders before noon arrive the next day. Our slow-roasted green beans come from farms in Peru that never use pesticides. Without a subscription there is no minimum order.",
    expected: {},
  },
  {
    name: "obligations as full sentences",
    text: "The logo must be visible in every scene. Every film should show real customers and the app screen. Under no circumstances should we see competitor logos, alcohol or cigarettes. The camera is static; wide shots. Speak formally, in the third person.",
    expected: {
      camera_style: "The camera is static; wide shots.",
      brand_voice: "Speak formally, in the third person.",
      must_include: ["logo in every scene", "real customers", "app screen"],
      must_avoid: ["competitor logos", "alcohol", "cigarettes"],
    },
  },
  {
    name: "a treatment",
    text: `Treatment / Look & Feel
We see the film as intimate, quiet and a bit melancholic. Long takes, natural light, a camera that breathes with the actors. The edit takes its time. What we don't want: slow-motion clichés, lens flares, inspirational voice-overs.`,
    expected: {
      tone: "intimate, quiet, melancholic",
      tempo: "slow",
      camera_style: "Long takes, natural light, a camera that breathes with the actors.",
      must_avoid: ["slow-motion clichés", "lens flares", "inspirational voice-overs"],
    },
  },
  {
    name: "a message from a founder",
    text: "hey, pls do a punchy 20 sec reel, quick cuts, bright yellow + black, show the app on a real phone, no boring talking heads",
    expected: {
      tone: "punchy",
      tempo: "fast",
      color_palette: ["#ffff00", "#000000"],
      must_include: ["app on a real phone"],
      must_avoid: ["boring talking heads"],
    },
  },
  {
    name: "fields as bullets",
    text: `- tone: understated, expert
- tempo: slow to medium
- palette: #1B4332 #40916C #D8F3DC
- cam: locked-off, eye level
- always: packshot last 2 sec
- never: discount stickers; exclamation marks`,
    expected: {
      tone: "understated, expert",
      tempo: "medium",
      color_palette: ["#1b4332", "#40916c", "#d8f3dc"],
      camera_style: "locked-off, eye level",
      must_include: ["packshot last 2 sec"],
      must_avoid: ["discount stickers", "exclamation marks"],
    },
  },
  {
    name: "a paragraph about an organisation",
    text: "Our organisation helps refugees learn to code. Films about us should be hopeful and never pitying. Faces only with consent: never show children's faces. The pace is calm. Logo and donation link must appear at the end. Our colours are teal and orange.",
    expected: {
      tone: "hopeful",
      tempo: "slow",
      color_palette: ["#008080", "#ffa500"],
      must_include: ["Logo", "donation link at the end"],
      must_avoid: ["pitying", "children's faces"],
    },
  },
  {
    name: "fields and sentences in one paragraph",
    text: "Voice: We address readers as 'you'. Tone is cheerful without being childish. Tempo: medium. Must show: the blue bottle cap.",
    expected: {
      tone: "cheerful",
      tempo: "medium",
      brand_voice: "We address readers as 'you'",
      must_include: ["blue bottle cap"],
      must_avoid: ["childish"],
    },
  },
  {
    name: "the manual of a product",
    text: "The UltraFix drill is fast, quiet and never overheats. Comes in black, red and blue. You should always wear goggles. Avoid contact with water. Do not use near children.",
    expected: {},
  },
  {
    name: "a chat message with typing errors",
    text: "vibe = cozy autumn , not spooky!! colours: burnt orange (#CC5500),cream. camera close up on hands ,steam. NO pumpkins .",
    expected: {
      tone: "cozy autumn",
      color_palette: ["#cc5500", "#f3e5c8"],
      camera_style: "camera close up on hands ,steam.",
      must_avoid: ["spooky", "pumpkins"],
    },
  },
  {
    name: "numbered brand guidelines",
    text: `Brand guidelines (excerpt)
1. Speak like a neighbour, not like a bank.
2. Never use more than two colours: petrol blue #005F73 and sand #E9D8A6.
3. Every video shows a customer within three seconds.
4. Cuts may be quick.`,
    expected: {
      tempo: "fast",
      color_palette: ["#005f73", "#e9d8a6"],
      brand_voice: "Speak like a neighbour, not like a bank.",
      must_include: ["a customer within three seconds"],
      must_avoid: ["more than two colours"],
    },
  },
  {
    name: "fields in one paragraph, each with what it is not",
    text: "Tone: Confident but never cocky. Pace: brisk. Colors: electric blue (#0A84FF), white, charcoal. Camera: slow push-ins, no handheld. Voice: second person, active verbs. Always end on the logo. Never show competitor products or cash.",
    expected: {
      tone: "Confident",
      tempo: "fast",
      color_palette: ["#0a84ff", "#ffffff", "#3d3d42"],
      camera_style: "slow push-ins",
      brand_voice: "second person, active verbs",
      must_include: ["logo"],
      must_avoid: ["cocky", "handheld", "competitor products", "cash"],
    },
  },
  {
    name: "a message from a yoga studio",
    text: "I run a small yoga studio. The videos should be slow and soothing, with soft pastel tones, sage green and cream. Please don't show anyone's face. No loud music!",
    expected: {
      tone: "soothing",
      tempo: "slow",
      color_palette: ["#a8c6a1", "#f3e5c8"],
      must_avoid: ["anyone's face", "loud music"],
    },
  },
  {
    name: "bullets under MUST and MUST NOT",
    text: "MUST\n• price tag visible\n• store address\nMUST NOT\n• models smiling at the camera\n• more than 2 fonts\n\nEditing: medium tempo",
    expected: {
      tempo: "medium",
      must_include: ["price tag visible", "store address"],
      must_avoid: ["models smiling at the camera", "more than 2 fonts"],
    },
  },
  {
    name: "exclamations about a toy",
    text: "Kids' toy launch!!! Colourful, super fast, lots of zooms. Not scary, not violent. Mascot in every shot.",
    expected: {
      tone: "colourful",
      tempo: "fast",
      camera_style: "lots of zooms.",
      must_include: ["Mascot in every shot"],
      must_avoid: ["scary", "violent"],
    },
  },
  {
    name: "a brand that sells olive oil",
    text: "Brand voice is nerdy and generous. Don't use exclamation marks. Keep cuts quick, colours muted: olive, sand. We never show faces of customers. Logo at the end.",
    expected: {
      tempo: "fast",
      color_palette: ["#808000", "#d9bd93"],
      brand_voice: "Brand voice is nerdy and generous.",
      must_include: ["Logo at the end"],
      must_avoid: ["exclamation marks", "faces of customers"],
    },
  },
  {
    name: "short lists under labels",
    text: "Look: grainy, nostalgic\nPacing: slow-ish\nDon'ts: drone, timelapse, any on-screen text\nDos: close-ups of dough",
    expected: {
      tone: "grainy, nostalgic",
      tempo: "slow",
      must_include: ["close-ups of dough"],
      must_avoid: ["drone", "timelapse", "on-screen text"],
    },
  },
];
