import { expect, test } from "bun:test";
import { sharedService } from "../../support/service.ts";
import { drawnClip, tone } from "./drawn-clips.ts";
import { broken, checker, filmOf, result } from "./reports.ts";

const service = await sharedService();
const ann = await service.register("Ann");
const check = checker(ann);

/** A work whose first scene moves and sounds, for all tests that only look at it. */
const moving = await filmOf(ann, await drawnClip("testsrc2=SIZE", { sound: tone(1.6) }));
const narrow = { maxWordsPerLine: 1, maxLines: 4 };

test("what a file has is measured: frame, length, bitrate, size, rate and sound", async () => {
  const wide = await drawnClip("testsrc2=SIZE", { size: "160x90", sound: tone(0.01), fps: 60 });
  const { request } = await filmOf(ann, wide, 4);
  const fast = { ...request, options: { width: 160, height: 90, fps: 60 } };
  const report = await check({
    ...fast,
    platforms: ["tiktok", "reels", "linkedin", "shorts"],
    rules: { use: "reservation" },
  });
  expect(broken(report)).toMatchObject({ resolution: "fail", length: "fail", loudness: "warn" });
  expect(result(report, "loudness").measured).toBeLessThan(-40);
  const [tiktok, reels, linkedin, shorts] = report.reports.map((one) => broken({ ...report, reports: [one] }));
  expect(tiktok).not.toContainKey("ratio");
  expect(reels).toMatchObject({ ratio: "fail" });
  expect(linkedin).toMatchObject({ frame_rate: "warn", resolution: "fail" });
  expect(shorts).toMatchObject({ ratio: "fail" });
  const calm = await filmOf(ann, await drawnClip("color=c=gray:SIZE"), 6);
  const still = await check({ ...calm.request, platforms: ["tiktok"] });
  expect(broken(still)).toMatchObject({ bitrate: "fail", loudness: "warn", frozen: "warn" });
  const onLinkedin = await check({ ...calm.request, platforms: ["linkedin"] });
  expect(broken(onLinkedin)).toMatchObject({ size: "fail" });
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
  const white = await filmOf(ann, await drawnClip("color=c=white:SIZE"));
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

test("lines of captions that are too many, or shown too shortly, red flashes and loud sound are found", async () => {
  const strobe = "color=c=blue:SIZE,drawbox=w=iw:h=ih:t=fill:c=red:enable='lt(mod(n\\,6)\\,3)'";
  const { request } = await filmOf(ann, await drawnClip(strobe, { seconds: 2, sound: tone(8) }), 2);
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

test("a gate is part of no film's bytes", async () => {
  const request = { ...moving.request, clips: [{ sceneIndex: 0, position: 0, end: 1 }] };
  const exported = await Promise.all(
    [request, { ...request, gate: "warn", platforms: ["shorts"] }].map(async (body) => {
      const response = await ann.json("POST", "/api/export", body);
      return Buffer.from(await response.bytes()).toString("base64");
    }),
  );
  expect(exported[0]).toBe(exported[1]!);
});
