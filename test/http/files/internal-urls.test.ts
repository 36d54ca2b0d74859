import { expect, test } from "bun:test";
import { internalUrls } from "../../../src/http/files/internal-urls.ts";

const { parse } = internalUrls("https://reels.example");

test("a relative URL and an absolute URL on the service's own base identify the same file", () => {
  const asset = { kind: "asset", projectId: "proj_1", assetId: "asset_2" } as const;
  const own = { file: asset, isOnOwnHost: true };
  expect(parse("/api/projects/proj_1/assets/asset_2")).toEqual(own);
  expect(parse("https://reels.example/api/projects/proj_1/assets/asset_2?token=abc#top")).toEqual(own);
});

test("a work media URL contains the slot", () => {
  expect(parse("/api/projects/p/works/w/media/scene/12/video")?.file).toEqual({
    kind: "work_media",
    projectId: "p",
    workId: "w",
    slot: "scene/12/video",
  });
  expect(parse("/api/projects/p/works/w/media/audio")?.file).toMatchObject({ slot: "audio" });
});

test("a generated media URL contains the signed query", () => {
  expect(parse("/api/media/media_1?expires=12&signature=abc")?.file).toEqual({
    kind: "generated_media",
    mediaId: "media_1",
    signed: { expires: "12", signature: "abc" },
  });
  expect(parse("https://reels.example/api/media/media_1")?.file).toMatchObject({ signed: {} });
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
  expect(parse(url)).toEqual({ file: { kind: "no_file" }, isOnOwnHost: true });
});

test.each([
  "https://elsewhere.example/api/projects/p/assets/a",
  "http://reels.example/api/projects/p/assets/a",
  "//elsewhere.example:8443/api/projects/p/assets/a?token=abc",
])("%s has the path of an asset on another host", (url) => {
  const file = { kind: "asset", projectId: "p", assetId: "a" } as const;
  expect(parse(url)).toEqual({ file, isOnOwnHost: false });
});

test.each([
  "https://elsewhere.example/api/projects/p/assets/a/thumbnail",
  "https://elsewhere.example/reels/api/projects/p/assets/a",
  "ftp://elsewhere.example/api/projects/p/assets/a",
  "data:audio/wav;base64,AAAA",
  "blob:https://reels.example/a",
  "file:///etc/passwd",
  "http://",
])("%s is not an internal URL", (url) => {
  expect(parse(url)).toBeUndefined();
});
