// the first model of each list is the default

export const openaiTextModels = [
  { id: "gpt-6-luna", name: "GPT-6 Luna", unit: "token" },
  { id: "gpt-6-sol", name: "GPT-6 Sol", unit: "token" },
  { id: "gpt-6-astra", name: "GPT-6 Astra", unit: "token" },
  { id: "gpt-6.1-sol", name: "GPT-6.1 Sol", unit: "token" },
  { id: "gpt-6.1-terra", name: "GPT-6.1 Terra", unit: "token" },
] as const;

export const openaiImageModels = [
  { id: "gpt-image-2.6-flare", name: "GPT Image 2.6 Flare", unit: "token", maxReferences: 16 },
  { id: "gpt-image-2.6-sunburst", name: "GPT Image 2.6 Sunburst", unit: "token", maxReferences: 16 },
  { id: "gpt-image-2.5-flare", name: "GPT Image 2.5 Flare", unit: "token", maxReferences: 16 },
  { id: "gpt-image-2", name: "GPT Image 2", unit: "token", maxReferences: 16 },
] as const;

export const oldOpenaiVoices = ["alloy", "ash", "coral", "echo", "fable", "nova", "onyx", "sage", "shimmer"] as const;
export const openaiVoices = [...oldOpenaiVoices, "ballad", "cedar", "marin", "verse"] as const;

const speechEnd = "OpenAI shuts it down on 6 January 2027.";
const transcriptionEnd = "OpenAI shuts it down on 26 February 2027.";
const speech = { endsOn: "2027-01-06", unit: "character" } as const;

export const openaiSpeechModels = [
  { id: "gpt-4o-mini-tts", name: "GPT-4o mini TTS", description: speechEnd, voices: openaiVoices, ...speech },
  {
    id: "tts-1",
    name: "TTS-1",
    description: `${speechEnd} It takes no instructions.`,
    voices: oldOpenaiVoices,
    ...speech,
  },
  {
    id: "tts-1-hd",
    name: "TTS-1 HD",
    description: `${speechEnd} It takes no instructions.`,
    voices: oldOpenaiVoices,
    ...speech,
  },
] as const;

export const openaiTranscriptionModels = [
  {
    id: "whisper-1",
    name: "Whisper",
    description: `Returns the times of words. ${transcriptionEnd}`,
    endsOn: "2027-02-26",
    unit: "minute",
  },
  {
    id: "gpt-transcribe",
    name: "GPT Transcribe",
    description: "Returns no times of words: they are estimated.",
    unit: "minute",
  },
] as const;
