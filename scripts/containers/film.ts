import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createCanvas } from "@napi-rs/canvas";
import { execa } from "execa";
import { findFfmpeg } from "../../src/engine/ffmpeg/ffmpeg.ts";
import { bundledFamilies } from "../../src/engine/text/fonts/files.ts";
import { register } from "../demo/api.ts";
import { step } from "../demo/steps.ts";
import { drawClips } from "./clips.ts";
import { composeMusic } from "./music.ts";

/**
 * Uses what a container holds: uploads of each kind of file, texts in each script that has a font, films, frames,
 * analysis and generation without a network. Ends with an error at the first response that is not as expected.
 * Frames and films are written to the folder `out`, so that those of two builds can be compared.
 */
const { values: options } = parseArgs({ options: { url: { type: "string" }, out: { type: "string" } } });
const { url, out } = options;
if (!url || !out) throw new Error("Usage: film.ts --url http://… --out FOLDER");
await mkdir(out, { recursive: true });

const texts = {
  latin: "Zażółć gęślą, Straße",
  greek: "Καλημέρα κόσμε",
  cyrillic: "Привет, мир",
  emoji: "👋🏽 🚀 👩‍👩‍👧 🇫🇷",
  arabic: "مرحبا بالعالم",
  hebrew: "שלום עולם",
  armenian: "Բարեւ աշխարհ",
  georgian: "გამარჯობა მსოფლიო",
  ethiopic: "ሰላም ልዑል",
  devanagari: "नमस्ते दुनिया",
  bengali: "ওহে বিশ্ব",
  gurmukhi: "ਸਤ ਸ੍ਰੀ ਅਕਾਲ",
  gujarati: "નમસ્તે દુનિયા",
  oriya: "ନମସ୍କାର ଦୁନିଆ",
  tamil: "வணக்கம் உலகம்",
  telugu: "హలో ప్రపంచం",
  kannada: "ನಮಸ್ಕಾರ ಜಗತ್ತು",
  malayalam: "ഹലോ ലോകം",
  sinhala: "හෙලෝ ලෝකය",
  thai: "สวัสดีชาวโลก",
  lao: "ສະບາຍດີ ຊາວໂລກ",
  khmer: "សួស្តី ពិភពលោក",
  myanmar: "မင်္ဂလာပါ ကမ္ဘာ",
  chinese: "你好，世界",
  japanese: "こんにちは世界",
  korean: "안녕하세요 세계",
};
const weights = [100, 400, 700, 900];

const folder = await mkdtemp(join(tmpdir(), "reelwright-container-"));
const music = join(folder, "music.wav");
await Bun.write(music, composeMusic());
const font = new URL(import.meta.resolve("@expo-google-fonts/inter/800ExtraBold/Inter_800ExtraBold.ttf")).pathname;
const token = await step("Register", () => register(url));
const [clip = ""] = await step("Draw clips", () => drawClips(folder));

/** Of the whole film: as a client does, a request waits as long as a busy service tells it to, which is printed. */
let waits = 3;

/** Throws unless the response has the status. */
async function request(method: string, path: string, status: number, body?: object, headers = {}): Promise<Response> {
  const isForm = body instanceof FormData;
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && !isForm && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  });
  if (response.status === status) return response;
  const text = await response.text();
  const wait = response.status === 503 && waits-- > 0 ? Number(response.headers.get("retry-after")) : 0;
  if (!wait) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  console.log(`NOTE: ${method} ${path} waits ${wait} s: ${text}`);
  await Bun.sleep(wait * 1000);
  return await request(method, path, status, body, headers);
}

const json = async <T>(...args: Parameters<typeof request>): Promise<T> => (await (await request(...args)).json()) as T;

const formOf = (field: string, path: string, name: string) => {
  const form = new FormData();
  form.set(field, Bun.file(path), name);
  return form;
};

type Identified = { readonly id: string };

const { id: projectId } = await json<Identified>("POST", "/api/projects", 201, { name: "Container" });
const { id: workId } = await json<Identified>("POST", `/api/projects/${projectId}/works`, 201, { name: "Film 映画" });
const assets = `/api/projects/${projectId}/assets`;
const work = `/api/projects/${projectId}/works/${workId}`;

/** Files of each kind that the service takes; ffmpeg writes those that the demo does not have. */
async function filesOfEachKind(): Promise<Readonly<Record<string, string>>> {
  const { path: ffmpeg } = await findFfmpeg(process.env.FFMPEG_PATH);
  const write = async (name: string, ...args: string[]) => {
    const path = join(folder, name);
    await execa(ffmpeg, ["-v", "error", "-y", ...args, path]);
    return path;
  };
  const video = ["-f", "lavfi", "-i", "testsrc2=s=320x240:r=25:d=1"];
  const sound = ["-f", "lavfi", "-i", "sine=d=1"];
  const canvas = createCanvas(64, 64);
  canvas.getContext("2d").fillRect(8, 8, 48, 48);
  const image = async (name: string, bytes: Buffer) => {
    await Bun.write(join(folder, name), bytes);
    return join(folder, name);
  };
  return {
    "clip.mp4": clip,
    "clip.mov": await write("clip.mov", ...video, "-pix_fmt", "yuv420p", "-c:v", "libx264"),
    "clip.webm": await write("clip.webm", ...video, "-c:v", "libvpx", "-b:v", "500k"),
    "sound.wav": music,
    "sound.mp3": await write("sound.mp3", ...sound),
    "sound.m4a": await write("sound.m4a", ...sound, "-c:a", "aac"),
    "image.png": await image("image.png", canvas.toBuffer("image/png")),
    "image.jpg": await image("image.jpg", canvas.toBuffer("image/jpeg")),
    "image.webp": await image("image.webp", canvas.toBuffer("image/webp")),
    "font.ttf": font,
  };
}

const ids = new Map<string, string>();
for (const [name, path] of Object.entries(await step("Write a file of each kind", filesOfEachKind))) {
  const { id } = await step(`Upload ${name}`, () => json<Identified>("POST", assets, 201, formOf("file", path, name)));
  ids.set(name, id);
}
await step("Read a range and a thumbnail", async () => {
  const path = `${assets}/${ids.get("clip.mp4")}`;
  const part = await request("GET", path, 206, undefined, { range: "bytes=100-199" });
  if ((await part.bytes()).length !== 100) throw new Error("The range has another length.");
  await request("GET", `${path}/thumbnail`, 200);
});
await request("POST", `${work}/media/scene/0/video`, 200, formOf("file", clip, "clip.mp4"));
await request("POST", `${work}/media/audio`, 200, formOf("audio", music, "music.wav"));

const column = (index: number) => ({
  centerX: index % 2 === 0 ? -270 : 270,
  centerY: (Math.floor(index / 2) - 6) * 130,
});
const end = 3;
const textOverlays = Object.values(texts).map((text, index) => {
  const fontWeight = weights[index % weights.length];
  return { text, fontSize: 44, fontWeight, position: 0, end, ...column(index) };
});
const family = bundledFamilies.find(({ name }) => name === "Noto Sans KR")!;
const export_ = {
  projectId,
  workId,
  clips: [{ sceneIndex: 0, position: 0, end }],
  texts: [
    ...textOverlays,
    { text: "Uploaded font", fontAssetId: ids.get("font.ttf"), position: 0, end, centerY: 890, fontSize: 40 },
    { text: "한국어", fontFamily: family.name, position: 0, end, centerY: -890, fontSize: 40, animateIn: "slideup" },
  ],
  images: [{ assetId: ids.get("image.png"), position: 0, end, x: 20, y: 20, width: 120 }],
  audio: { volume: 0.8 },
};

await step("Validate: every glyph has a font", async () => {
  type Verdict = { ok: boolean; warnings: { code: string; message: string }[] };
  const { ok, warnings } = await json<Verdict>("POST", "/api/export/validate", 200, export_);
  const missing = warnings.filter(({ code }) => code === "glyph_missing");
  if (!ok || missing.length > 0) throw new Error(JSON.stringify(warnings));
});

const save = async (name: string, response: Promise<Response>) => {
  const bytes = await (await response).bytes();
  await Bun.write(join(out, name), bytes);
  return bytes.length;
};
const size = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

await step(
  "Frame with texts in 26 scripts",
  () => save("scripts.png", request("POST", "/api/export/frame?t=1", 200, export_)),
  size,
);
await step(
  "Each weight of each font",
  async () => {
    const everyWeight = bundledFamilies.flatMap(({ name, files }) => files.map(({ weight }) => ({ name, weight })));
    const texts = everyWeight.map(({ name, weight }, index) => {
      const place = { centerX: ((index % 10) - 5) * 105, centerY: (Math.floor(index / 10) - 12) * 70 };
      return {
        text: `${weight} ${sampleOf(name)}`,
        fontFamily: name,
        fontWeight: weight,
        fontSize: 24,
        position: 0,
        end,
        ...place,
      };
    });
    return await save("weights.png", request("POST", "/api/export/frame?t=1", 200, { ...export_, texts }));
  },
  size,
);
await step(
  "Contact sheet",
  () => save("sheet.png", request("POST", "/api/export/contact-sheet?count=6", 200, export_)),
  size,
);
await step("Export", () => save("film.mp4", request("POST", "/api/export", 200, export_)), size);
await step(
  "Export in three aspect ratios",
  async () => {
    const targets = ["16:9", "1:1", "9:16"];
    const { id } = await json<Identified>("POST", "/api/exports", 202, { ...export_, options: { targets } });
    const events = await (await request("GET", `/api/exports/${id}/events`, 200)).text();
    if (!events.includes("event: done")) throw new Error(events.slice(-500));
    return await save("wide.mp4", request("GET", `/api/exports/${id}/file?target=16:9`, 200));
  },
  size,
);
await step("Analyze a video", () =>
  request("POST", "/api/analyze", 200, analysisForm(), { "x-vision-provider": "local" }),
);
await step("Write a scenario", () =>
  request("POST", `${work}/scenario`, 200, undefined, { "x-llm-provider": "local" }),
);
await step("Generate a scene", () =>
  request("POST", `${work}/generate/scene/1`, 200, undefined, {
    "x-image-provider": "local",
    "x-video-provider": "local",
  }),
);
await step("Documentation", async () => {
  for (const path of ["/docs", "/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js", "/api/openapi.json"]) {
    await (await request("GET", path, 200)).bytes();
  }
});
await step("Log out and in again with a password", async () => {
  const account = { email: `c+${crypto.randomUUID()}@example.com`, password: crypto.randomUUID(), name: "C" };
  await request("POST", "/api/auth/register", 201, account);
  await request("POST", "/api/auth/login", 200, { email: account.email, password: account.password });
});

function analysisForm(): FormData {
  const form = formOf("video", clip, "clip.mp4");
  form.set("mode", "style_transfer");
  return form;
}

function sampleOf(family: string): string {
  const script = family.replace(/^Noto (Sans|Color) /, "").toLowerCase();
  const samples: Readonly<Record<string, string>> = { sc: "chinese", jp: "japanese", kr: "korean" };
  const name = samples[script] ?? script;
  return (name in texts ? texts[name as keyof typeof texts] : "Aa").slice(0, 4);
}

process.exit(0);
