import { afterAll, expect, test } from "bun:test";
import { Readable } from "node:stream";
import type { GateReport } from "../../../src/domain/gate/report.ts";
import { putGenerated } from "../../../src/domain/works/media.ts";
import { orderFilm, restedFilm } from "../../support/films.ts";
import { sharedService, testService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { requireJson } from "../../support/work-videos.ts";
import { drawnClip, tone } from "./drawn-clips.ts";
import { measuredExports } from "./measured-exports.ts";
import { broken, checker, filmOf, options, result, small } from "./reports.ts";

const rendering = await sharedService();
const bea = await rendering.register("Bea");

/** Of films that nobody renders, and whose videos keep all rules. */
const service = await testService({}, undefined, measuredExports);
const ann = await service.register("Ann");
const check = checker(ann);
const shown = await filmOf(ann, png(90, 160));
const shownFor = (seconds: number) => ({ ...shown.request, clips: [{ sceneIndex: 0, position: 0, end: seconds }] });
afterAll(service.close);

test("a film that keeps the rules passes, each rule with its date and source, and the check keeps no export", async () => {
  const { request } = await filmOf(bea, await drawnClip("testsrc2=SIZE", { sound: tone(1.6) }));
  const rules = { use: "reservation", ignore: small };
  const report = await checker(bea)({ ...request, platforms: ["tiktok"], rules });
  expect(broken(report)).toEqual({});
  expect(report).toMatchObject({ ok: true, videos: [{ width: 90, height: 160, seconds: 6, codec: "avc", fps: 30 }] });
  expect(result(report, "length")).toMatchObject({
    ...{ use: "reservation", status: "pass", measured: 6, min: 5, max: 60, asOf: "2024-10-01", isOld: true },
    source: { url: expect.stringContaining("ads.tiktok.com") },
  });
  expect(result(report, "disclosure").status).toBe("skipped");
  expect(report.reports[0]!.rules.every(({ asOf, source }) => asOf && source.title)).toBe(true);
  expect(await requireJson(bea.request("/api/exports"))).toMatchObject({ count: 0 });
});

test("more than three flashes a second fail", async () => {
  const strobe = "color=c=black:SIZE,drawbox=w=iw:h=ih:t=fill:c=white:enable='lt(mod(n\\,3)\\,1.5)'";
  const report = await checker(bea)({
    ...(await filmOf(bea, await drawnClip(strobe, { seconds: 2 }), 2)).request,
    platforms: ["reels"],
  });
  expect(result(report, "flashes")).toMatchObject({ status: "fail", measured: 10, max: 3 });
  expect(result(report, "red_flashes")).toMatchObject({ status: "pass", measured: 0 });
});

test("a gate warns or blocks: a blocked export hands out nothing and keeps its report", async () => {
  const { request } = await filmOf(bea, await drawnClip("testsrc2=SIZE", { seconds: 2 }), 2);
  const gated = { ...request, platforms: ["tiktok"], rules: { use: "reservation", ignore: small } };
  const warned = await bea.json("POST", "/api/export", { ...gated, gate: "warn" });
  expect(warned.status).toBe(200);
  expect(JSON.parse(warned.headers.get("x-export-warnings")!)).toContain("rule_broken");
  const blocked = await bea.json("POST", "/api/export", { ...gated, gate: "block" });
  expect(blocked.status).toBe(422);
  expect(await blocked.json()).toMatchObject({
    code: "gate_failed",
    details: [
      { path: "platforms", message: "For TikTok: The video takes 2 seconds: at least 5 seconds is asked for." },
    ],
  });
  const { exports } = await requireJson(bea.request("/api/exports"));
  expect(exports[0]).toMatchObject({ status: "error", code: "gate_failed" });
  expect(exports[0]).not.toContainKey("files");
  const kept = await requireJson(bea.request(`/api/exports/${exports[0].id}/check`));
  expect(kept).toMatchObject({ ok: false, reports: [{ platform: "tiktok", ok: false }] });
  expect((await bea.request(`/api/exports/${exports[0].id}/file`)).status).toBe(409);
});

test("a brand's colors, the room of its logo, its words and the legal lines of a request are checked", async () => {
  const { work, request } = shown;
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
  const { work, request } = shown;
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
  const { work, request } = shown;
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

test("a film with a part from a model must say so", async () => {
  const { workMedia, works, files } = service.services;
  const { work, request } = shown;
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

test("each platform looks at the video that is made for it, by default at all that are", async () => {
  const request = shownFor(2);
  const targets = { ...request, options: { ...options, targets: ["9:16", "16:9", "1:1"] } };
  const pairs = ({ reports }: GateReport) => reports.map(({ target, platform }) => `${target} ${platform}`);
  expect(pairs(await check({ ...targets, platforms: ["tiktok", "youtube"] }))).toEqual(["9:16 tiktok", "16:9 youtube"]);
  expect(pairs(await check(targets))).toEqual([
    ...["9:16 tiktok", "9:16 reels", "9:16 shorts"],
    ...["16:9 youtube", "1:1 meta_feed", "1:1 linkedin"],
  ]);
});

test("a film from a brief tells what the gate found in its video, or stops at it", async () => {
  const gated = { scenes: 1, platforms: ["tiktok"], rules: { use: "reservation", ignore: small } };
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

test("bad rules are refused with their paths", async () => {
  const request = shownFor(1);
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
