// the first model of each list is the default

export const googleTextModels = [
  { id: "gemini-3.8-flash", name: "Gemini 3.8 Flash", unit: "token" },
  { id: "gemini-4-argon", name: "Gemini 4 Argon", unit: "token" },
  { id: "gemini-4-carbon", name: "Gemini 4 Carbon", unit: "token" },
  { id: "gemini-4-hydrogen", name: "Gemini 4 Hydrogen", unit: "token" },
  { id: "gemini-3.5-flash-lite", name: "Gemini 3.5 Flash-Lite", unit: "token" },
] as const;

export const googleImageModels = [
  { id: "gemini-3.1-flash-image", name: "Gemini 3.1 Flash Image", unit: "token", maxReferences: 14 },
  { id: "gemini-nano-banana-2.1", name: "Gemini Nano Banana 2.1", unit: "token", maxReferences: 14 },
  { id: "gemini-3-pro-image", name: "Gemini 3 Pro Image", unit: "token", maxReferences: 14 },
] as const;

/** Equal to Google's own example, including the first frame. */
export const maxVideoReferences = 5;

export const googleVideoModels = [
  { id: "gemini-omni-1.2-flash", name: "Gemini Omni 1.2 Flash", unit: "token", maxReferences: maxVideoReferences },
  {
    id: "gemini-omni-1.1-flash",
    name: "Gemini Omni 1.1 Flash",
    description: "At most 10 seconds.",
    unit: "token",
    maxReferences: maxVideoReferences,
  },
] as const;

export const googleVoices: readonly string[] = [
  ..."Kore Zephyr Puck Charon Fenrir Leda Orus Aoede Callirrhoe Autonoe Enceladus Iapetus Umbriel Algieba".split(" "),
  ..."Despina Erinome Algenib Rasalgethi Laomedeia Achernar Alnilam Schedar Gacrux Pulcherrima Achird".split(" "),
  ..."Zubenelgenubi Vindemiatrix Sadachbia Sadaltager Sulafat".split(" "),
];

export const googleSpeechModels = [
  { id: "gemini-3.8-flash-tts", name: "Gemini 3.8 Flash TTS", voices: googleVoices, unit: "token" },
  { id: "gemini-3.8-flash-lite-tts", name: "Gemini 3.8 Flash-Lite TTS", voices: googleVoices, unit: "token" },
] as const;

export const googleTranscriptionModels = [
  {
    id: "gemini-3.5-transcribe",
    name: "Gemini 3.5 Transcribe",
    description: "Returns the times of words.",
    unit: "token",
  },
] as const;
