import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import type { GateReport, RuleResult } from "../../../src/domain/gate/report.ts";
import { putGenerated } from "../../../src/domain/works/media.ts";
import { orderFilm, restedFilm } from "../../support/films.ts";
import { ffmpegs, runFfmpeg, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { sharedService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { newWork, requireJson } from "../../support/work-videos.ts";

const service = await sharedService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A clip that ffmpeg draws. */
async function drawn(graph: string, { seconds = 6, sound = "", size = "90x160", fps = 30 } = {}): Promise<File> {
  const path = `${folder}/${crypto.randomUUID()}.mp4`;
  const source = graph.replace("SIZE", `s=${size}:r=${fps}`);
  await runFfmpeg(ffmpegs()[0]!, [
    ...["-f", "lavfi", "-i", source],
    ...(sound ? ["-f", "lavfi", "-i", sound] : []),
    ...["-t", `${seconds}`, "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast", "-crf", "12", path],
  ]);
  return new File([await Bun.file(path).bytes()], "clip.mp4", { type: "video/mp4" });
}

const options = { width: 90, height: 160, fps: 30 };

/** A film of one clip. */
async function film(clip: File, seconds = 6) {
  const work = await newWork(ann, { name: "Film" });
  await work.scene(0, clip);
  const { projectId, workId } = work;
  return { work, request: { projectId, workId, clips: [{ sceneIndex: 0, position: 0, end: seconds }], options } };
}

const check = async (request: object): Promise<GateReport> =>
  await requireJson(ann.json("POST", "/api/export/check", request));

/** What has become of the rules that are not passed, on the first platform. */
function broken({ reports: [first] }: GateReport): Record<string, string> {
  const results = first!.rules.filter(({ status }) => status === "fail" || status === "warn");
  return Object.fromEntries(results.map(({ rule, status }) => [rule, status]));
}

const result = ({ reports }: GateReport, rule: string): RuleResult =>
  reports[0]!.rules.find((one) => one.rule === rule)!;

const tone = (volume: number) => `sine=f=440:r=48000,volume=${volume}`;

/** A work whose first scene moves and sounds, for all tests that only look at it. */
const moving = await film(await drawn("testsrc2=SIZE", { sound: tone(1.6) }));
const movingFor = (seconds: number) => ({ ...moving.request, clips: [{ sceneIndex: 0, position: 0, end: seconds }] });
const narrow = { maxWordsPerLine: 1, maxLines: 4 };

/** What small frames cannot keep. */
const small = ["resolution", "size", "bitrate"];

test("a film that keeps the rules passes, each rule with its date and source, and the check keeps no export", async () => {
  const { request } = moving;
  const rules = { ignore: small };
  const report = await check({ ...request, platforms: ["tiktok"], rules });
  expect(broken(report)).toEqual({});
  expect(report).toMatchObject({ ok: true, videos: [{ width: 90, height: 160, seconds: 6, codec: "avc", fps: 30 }] });
  expect(result(report, "length")).toMatchObject({
    ...{ status: "pass", measured: 6, min: 5, max: 60, asOf: "2024-10-01", isOld: true },
    source: { url: expect.stringContaining("ads.tiktok.com") },
  });
  expect(result(report, "disclosure").status).toBe("skipped");
  expect(report.reports[0]!.rules.every(({ asOf, source }) => asOf && source.title)).toBe(true);
  expect(await requireJson(ann.request("/api/exports"))).toMatchObject({ count: 0 });
});

test("what a file has is measured: frame, length, bitrate, size, rate and sound", async () => {
  const wide = await drawn("testsrc2=SIZE", { size: "160x90", sound: tone(0.01), fps: 60 });
  const { request } = await film(wide, 4);
  const fast = { ...request, options: { width: 160, height: 90, fps: 60 } };
  const report = await check({ ...fast, platforms: ["tiktok", "reels", "linkedin", "shorts"] });
  expect(broken(report)).toMatchObject({ resolution: "fail", length: "fail", loudness: "warn" });
  expect(result(report, "loudness").measured).toBeLessThan(-40);
  const [tiktok, reels, linkedin, shorts] = report.reports.map((one) => broken({ ...report, reports: [one] }));
  expect(tiktok).not.toContainKey("ratio");
  expect(reels).toMatchObject({ ratio: "fail" });
  expect(linkedin).toMatchObject({ frame_rate: "warn", resolution: "fail" });
  expect(shorts).toMatchObject({ ratio: "fail" });
  const calm = await film(await drawn("color=c=gray:SIZE"), 6);
  const still = await check({ ...calm.request, platforms: ["tiktok"] });
  expect(broken(still)).toMatchObject({ bitrate: "fail", loudness: "warn", frozen: "warn" });
  const onLinkedin = await check({ ...calm.request, platforms: ["linkedin"] });
  expect(broken(onLinkedin)).toMatchObject({ size: "fail" });
});

test("more than three flashes a second fail", async () => {
  const strobe = "color=c=black:SIZE,drawbox=w=iw:h=ih:t=fill:c=white:enable='lt(mod(n\\,3)\\,1.5)'";
  const report = await check({ ...(await film(await drawn(strobe, { seconds: 2 }), 2)).request, platforms: ["reels"] });
  expect(result(report, "flashes")).toMatchObject({ status: "fail", measured: 10, max: 3 });
  expect(result(report, "red_flashes")).toMatchObject({ status: "pass", measured: 0 });
});

test("black and frozen stretches are found where they are", async () => {
  const { request } = moving;
  const clips = [
    { sceneIndex: 0, position: 0, end: 1 },
    { sceneIndex: 0, position: 4, end: 10.5, cutFrom: 5.5 },
  ];
  const report = await check({ ...request, clips, platforms: ["reels"] });
  expect(result(report, "black")).toMatchObject({ status: "fail", measured: 3, at: [{ start: 1, end: 4 }] });
  const { status, at } = result(report, "frozen");
  expect(status).toBe("warn");
  expect(at![0]!.start).toBeCloseTo(4.5, 0);
  expect(at![0]!.end).toBeCloseTo(10.5, 1);
});

test("texts and captions are looked at where each platform shows its buttons, by size, speed and contrast", async () => {
  const white = await film(await drawn("color=c=white:SIZE"));
  const text = { position: 0, end: 3, fontSize: 8, shadowColor: "transparent" };
  const platforms = ["tiktok", "youtube"];
  const low = await check({
    ...white.request,
    platforms,
    texts: [{ ...text, text: "Low", centerY: 66 }],
    captions: { srt: "1\n00:00:00,000 --> 00:00:01,000\nNobody can read so many words in one second\n" },
  });
  expect(broken(low)).toMatchObject({ safe_zone: "warn", contrast: "warn", caption_speed: "warn" });
  expect(result(low, "contrast").measured).toBeLessThan(1.5);
  // of another platform
  expect(low.reports[1]!.rules.find(({ rule }) => rule === "safe_zone")).toMatchObject({ status: "pass" });
  const large = await check({
    ...white.request,
    platforms,
    texts: [{ ...text, text: "Very large words", fontSize: 30, fontColor: "#000000" }],
  });
  expect(broken(large)).toMatchObject({ text_share: "warn" });
  expect(result(large, "contrast")).toMatchObject({ status: "pass" });
});

test("a brand's colors, the room of its logo, its words and the legal lines of a request are checked", async () => {
  const { work, request } = moving;
  const { id: assetId } = await work.asset(png(20, 10));
  const texts = [
    { text: "The best in town", position: 0, end: 2, fontSize: 8, fontColor: "#123456", centerX: 0, centerY: 0 },
    { text: "Terms apply to all offers", position: 0, end: 1, fontSize: 3 },
    { text: "20 % off", position: 0, end: 6, fontSize: 8, fontColor: "transparent" },
  ];
  const images = [{ assetId, position: 0, end: 6, width: 20, height: 10, centerX: 0, centerY: 8 }];
  const rules = {
    palette: ["#ff0000", "#ffffff"],
    logo: { assetId, space: 0.5 },
    mustSay: ["20 % off"],
    mustNotSay: ["BEST", "tow"],
    legal: [{ text: "Terms apply" }],
    ignore: small,
  };
  const report = await check({ ...request, texts, images, platforms: ["reels"], rules });
  expect(broken(report)).toMatchObject({
    ...{ palette: "fail", logo_space: "fail", must_say: "fail", must_not_say: "fail" },
    ...{ legal_height: "fail", legal_seconds: "fail" },
  });
  expect(result(report, "must_not_say").message).toBe('The video shows or says "BEST".');
  expect(result(report, "legal_seconds")).toMatchObject({ measured: 1 });
  const better = await check({
    ...request,
    texts: [
      { ...texts[0], text: "20 % OFF", fontColor: "#ff0000", centerY: -30 },
      { ...texts[1], end: 6, fontSize: 6, centerY: 20 },
    ],
    images: [{ ...images[0], centerY: -50 }],
    platforms: ["reels"],
    rules,
  });
  expect(Object.values(broken(better))).not.toContain("fail");
});

test("strokes and captions have the brand's colors too, and no caption and no label comes close to the logo", async () => {
  const { work, request } = moving;
  const { id: assetId } = await work.asset(png(20, 10));
  const colored = await check({
    ...request,
    texts: [{ text: "Sale", position: 0, end: 2, fontSize: 8, strokeColor: "#00ff00", strokeWidth: 1 }],
    captions: { words: [{ text: "Hello", start: 0, end: 2 }], colors: { active: "#ffff00", text: "#ffffff" } },
    platforms: ["reels"],
    rules: { palette: ["#ffffff"], ignore: small },
  });
  expect(result(colored, "palette")).toMatchObject({ status: "fail", measured: 2 });
  const near = async (centerY: number, shown: object) => {
    const images = [{ assetId, position: 0, end: 6, width: 20, height: 10, centerX: -20, centerY }];
    const rules = { logo: { assetId, space: 0.5 }, ignore: small };
    return result(await check({ ...request, images, platforms: ["reels"], rules, ...shown }), "logo_space");
  };
  const captions = { captions: { srt: "1\n00:00:02,000 --> 00:00:05,000\nHello my dear friends\n" } };
  expect(await near(18, captions)).toMatchObject({ status: "fail", at: [{ start: 2, end: 5 }] });
  const label = { options: { ...options, disclosure: {} } };
  expect(await near(-50, label)).toMatchObject({
    ...{ status: "fail", message: expect.stringContaining("options.disclosure comes closer") },
  });
  expect(await near(-50, captions)).toMatchObject({ status: "pass" });
});

test("what lies beside the frame is not shown: neither words nor a logo", async () => {
  const { work, request } = moving;
  const { id: assetId } = await work.asset(png(20, 10));
  const image = { assetId, position: 0, end: 6, width: 20, height: 10 };
  const text = { text: "20 % off", position: 0, end: 6, fontSize: 8 };
  const rules = { logo: { assetId, space: 0.1 }, mustSay: ["20 % off"], ignore: [...small, "contrast" as const] };
  const looked = async (x: number) => {
    const texts = [{ ...text, centerX: x, centerY: -10 }];
    const images = [{ ...image, centerX: x, centerY: 20 }];
    return broken(await check({ ...request, texts, images, platforms: ["reels"], rules }));
  };
  expect(await looked(0)).toEqual({});
  expect(await looked(300)).toEqual({ must_say: "fail", logo_space: "fail" });
});

test("lines of captions that are too many, or shown too shortly, red flashes and loud sound are found", async () => {
  const strobe = "color=c=blue:SIZE,drawbox=w=iw:h=ih:t=fill:c=red:enable='lt(mod(n\\,6)\\,3)'";
  const { request } = await film(await drawn(strobe, { seconds: 2, sound: tone(8) }), 2);
  const captioned = (captions: object) => check({ ...request, captions, platforms: ["reels"] });
  const many = await captioned({ srt: "1\n00:00:00,000 --> 00:00:02,000\nOne two three four\n", ...narrow });
  expect(result(many, "red_flashes")).toMatchObject({ status: "fail", measured: 5 });
  expect(broken(many)).toMatchObject({ loudness: "warn", true_peak: "warn", caption_length: "warn" });
  expect(result(many, "caption_length").message).toBe("Captions have up to 4 lines: at most 2 are asked for.");
  const fast = await captioned({ srt: "1\n00:00:00,000 --> 00:00:00,500\nOne two three four five\n" });
  expect(result(fast, "caption_speed").message).toBe(
    "More than 20 characters a second are shown in 1 caption, the first at 0.",
  );
});

test("a film with a part from a model must say so", async () => {
  const { workMedia, works, files } = service.services;
  const { work, request } = moving;
  const stored = (await works.find(work.projectId, work.workId))!;
  const received = await files.receive(Readable.from([await png(90, 160).bytes()]), 10_000);
  const slot = "scene/1/image" as const;
  const origin = { inputHash: "0".repeat(64), model: { provider: "google", model: "a model" } };
  const seen = await workMedia.find(work.workId, slot);
  await putGenerated(service.services, { work: stored, slot, seen, origin }, received, ann.user.id);
  const made = { ...request, clips: [{ sceneIndex: 1, position: 0, end: 2 }], platforms: ["reels"] };
  expect(broken(await check(made))).toMatchObject({ disclosure: "fail" });
  const labelled = async (disclosure: unknown) =>
    result(await check({ ...made, options: { ...options, disclosure } }), "disclosure").status;
  expect(await labelled("auto")).toBe("pass");
  expect(await labelled({ from: 1 })).toBe("fail");
  expect(await labelled({ to: 1 })).toBe("fail");
  // nobody sees such words
  expect(await labelled({ text: "\u200b" })).toBe("fail");
});

test("a gate warns or blocks: a blocked export hands out nothing and keeps its report", async () => {
  const request = movingFor(2);
  const gated = { ...request, platforms: ["tiktok"], rules: { ignore: small } };
  const warned = await ann.json("POST", "/api/export", { ...gated, gate: "warn" });
  expect(warned.status).toBe(200);
  expect(JSON.parse(warned.headers.get("x-export-warnings")!)).toContain("rule_broken");
  const blocked = await ann.json("POST", "/api/export", { ...gated, gate: "block" });
  expect(blocked.status).toBe(422);
  expect(await blocked.json()).toMatchObject({
    code: "gate_failed",
    details: [
      { path: "platforms", message: "For TikTok: The video takes 2 seconds: at least 5 seconds is asked for." },
    ],
  });
  const { exports } = await requireJson(ann.request("/api/exports"));
  expect(exports[0]).toMatchObject({ status: "error", code: "gate_failed" });
  expect(exports[0]).not.toContainKey("files");
  const kept = await requireJson(ann.request(`/api/exports/${exports[0].id}/check`));
  expect(kept).toMatchObject({ ok: false, reports: [{ platform: "tiktok", ok: false }] });
  expect((await ann.request(`/api/exports/${exports[0].id}/file`)).status).toBe(409);
});

test("each platform looks at the video that is made for it, by default at all that are", async () => {
  const request = movingFor(2);
  const targets = { ...request, options: { ...options, targets: ["9:16", "16:9", "1:1"] } };
  const pairs = ({ reports }: GateReport) => reports.map(({ target, platform }) => `${target} ${platform}`);
  expect(pairs(await check({ ...targets, platforms: ["tiktok", "youtube"] }))).toEqual(["9:16 tiktok", "16:9 youtube"]);
  expect(pairs(await check(targets))).toEqual([
    ...["9:16 tiktok", "9:16 reels", "9:16 shorts"],
    ...["16:9 youtube", "1:1 meta_feed", "1:1 linkedin"],
  ]);
});

test("a film from a brief tells what the gate found in its video, or stops at it", async () => {
  const gated = { scenes: 1, platforms: ["tiktok"], rules: { ignore: small } };
  const warned = await orderFilm(ann, { ...gated, gate: "warn" });
  const made = await restedFilm(ann, warned.path);
  expect(made.status).toBe("done");
  const broken = made.warnings.filter(({ code }: { code: string }) => code === "rule_broken");
  expect(broken.map(({ message }: { message: string }) => message)).toContain(
    "For TikTok: The video takes 3 seconds: at least 5 seconds is asked for.",
  );
  const blocked = await orderFilm(ann, { ...gated, gate: "block" });
  expect(await restedFilm(ann, blocked.path)).toMatchObject({
    status: "waiting",
    waitingFor: "step",
    waitingReason: expect.stringContaining("at least 5 seconds is asked for"),
  });
});

test("a gate is part of no film's bytes", async () => {
  const request = movingFor(1);
  const exported = await Promise.all(
    [request, { ...request, gate: "warn", platforms: ["shorts"] }].map(async (body) => {
      const response = await ann.json("POST", "/api/export", body);
      return Buffer.from(await response.bytes()).toString("base64");
    }),
  );
  expect(exported[0]).toBe(exported[1]!);
});

test("bad rules are refused with their paths", async () => {
  const request = movingFor(1);
  const bad = { platforms: ["myspace"], rules: { palette: ["no color"], legal: [{}], mustSay: [""] } };
  const response = await ann.json("POST", "/api/export/check", { ...request, ...bad });
  expect(response.status).toBe(400);
  const { details } = (await response.json()) as { details: { path: string }[] };
  expect(details.map(({ path }) => path)).toEqual([
    ...["platforms.0", "rules.palette.0", "rules.mustSay.0", "rules.legal.0.text"],
  ]);
  expect((await ann.json("POST", "/api/export/check", { ...request, platforms: [] })).status).toBe(400);
  const bob = await service.register("Bob");
  expect((await bob.json("POST", "/api/export/check", request)).status).toBe(404);
  expect((await ann.request("/api/exports/exp_none/check")).status).toBe(404);
});
