import { joinSamples, type Samples, sampleRate, wavOf } from "../../../src/engine/timeline/samples.ts";
import { fakeServer, jsonBody, type ReceivedRequest } from "./fake-server.ts";

/** A tone for each word, as long as its letters are at 15 a second, with a pause after each. */
export const spokenSamples = (text: string): Samples =>
  joinSamples(
    text.split(" ").map((word) => tone(word.length / 15)),
    1 / 15,
  );

export const tone = (seconds: number): Samples =>
  Int16Array.from({ length: Math.round(seconds * sampleRate) }, (_, at) => 6000 * Math.sin(at / 12));

/** A WAV whose header has no lengths, as servers send it that stream. */
function streamedWav(samples: Samples): Uint8Array<ArrayBuffer> {
  const file = wavOf(samples);
  const view = new DataView(file.buffer);
  for (const at of [4, 40]) view.setUint32(at, 0xffffffff, true);
  return file;
}

export const googleSound = (bytes: Uint8Array): Response =>
  Response.json({
    candidates: [
      { content: { parts: [{ inlineData: { mimeType: "audio/wav", data: bytes.toBase64() } }] }, finishReason: "STOP" },
    ],
  });

export const googleTranscript = (text: string, words: readonly (readonly [string, number, number])[]): Response =>
  Response.json({
    candidates: [
      {
        content: {
          parts: [
            {
              text,
              audioTranscription: {
                words: words.map(([word, start, end]) => ({ word, startOffset: `${start}s`, endOffset: `${end}s` })),
              },
            },
          ],
        },
        finishReason: "STOP",
      },
    ],
  });

export const textToSpeak = (request: ReceivedRequest): string =>
  jsonBody(request).input ?? jsonBody(request).contents[0].parts[0].text;

type Script = Record<"google" | "openai", (request: ReceivedRequest) => Response | Promise<Response>> & {
  transcript(): Response;
};

/** Both providers of voices. Each says what it is asked to, unless a test replaces the reply. */
export function voiceServer() {
  const speak = (request: ReceivedRequest): Response => googleSound(wavOf(spokenSamples(textToSpeak(request))));
  const script: Script = {
    google: speak,
    openai: (request: ReceivedRequest): Response => new Response(streamedWav(spokenSamples(textToSpeak(request)))),
    transcript: (): Response => googleTranscript("", []),
  };
  const initial = { ...script };
  const server = fakeServer({
    "POST /v1beta/models/:call": (request) =>
      request.path.includes("transcribe") ? script.transcript() : script.google(request),
    "POST /v1/audio/speech": (request) => script.openai(request),
  });
  return {
    ...server,
    script,
    speak,
    settings: { GOOGLE_BASE_URL: `${server.url}/v1beta`, OPENAI_BASE_URL: `${server.url}/v1` },
    reset() {
      Object.assign(script, initial);
      server.requests.length = 0;
    },
  };
}
