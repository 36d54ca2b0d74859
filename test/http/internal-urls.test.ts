import { expect, test } from "bun:test";
import { internalUrls } from "../../src/http/internal-urls.ts";

const { parse } = internalUrls("https://reels.example");

test("a relative URL and an absolute URL on the service's own base identify the same file", () => {
  const asset = { kind: "asset", projectId: "proj_1", assetId: "asset_2" } as const;
  expect(parse("/api/projects/proj_1/assets/asset_2")).toEqual(asset);
  expect(parse("https://reels.example/api/projects/proj_1/assets/asset_2?token=abc")).toEqual(asset);
});

test("a work media URL contains the slot", () => {
  expect(parse("/api/projects/p/works/w/media/scene/12/video")).toEqual({
    kind: "work_media",
    projectId: "p",
    workId: "w",
    slot: "scene/12/video",
  });
  expect(parse("/api/projects/p/works/w/media/audio")).toMatchObject({ slot: "audio" });
});

test("a generated media URL contains the signed query", () => {
  expect(parse("/api/media/media_1?expires=12&signature=abc")).toEqual({
    kind: "generated_media",
    mediaId: "media_1",
    signed: { expires: "12", signature: "abc" },
  });
  expect(parse("https://reels.example/api/media/media_1")).toMatchObject({ signed: {} });
});

test.each([
  "/api/projects/p/works/w/media/scene/1/sound",
  "/api/projects/p/assets/a/thumbnail",
  "/api/projects",
  "/api/media",
  "/api/media/a/b",
  "/",
  "//reels.example/",
])("%s is an internal URL without a file", (url) => {
  expect(parse(url)).toEqual({ kind: "no_file" });
});

test.each([
  "https://elsewhere.example/api/projects/p/assets/a",
  "http://reels.example/api/projects/p/assets/a",
  "//elsewhere.example/api/projects/p/assets/a",
  "data:audio/wav;base64,AAAA",
  "blob:https://reels.example/a",
  "file:///etc/passwd",
  "http://",
])("%s is not an internal URL", (url) => {
  expect(parse(url)).toBeUndefined();
});
