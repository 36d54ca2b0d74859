import { expect, test } from "bun:test";
import { internalFileOf } from "../../../src/domain/files/internal-urls.ts";

const base = "https://reels.example";
const read = (url: string) => internalFileOf(url, base);

test("a relative URL and an absolute one on the own base name the same file", () => {
  const asset = { kind: "asset", projectId: "proj_1", assetId: "asset_2" } as const;
  expect(read("/api/projects/proj_1/assets/asset_2")).toEqual(asset);
  expect(read("https://reels.example/api/projects/proj_1/assets/asset_2?token=abc")).toEqual(asset);
});

test("work media are named by their slot", () => {
  expect(read("/api/projects/p/works/w/media/scene/12/video")).toEqual({
    kind: "work_media",
    projectId: "p",
    workId: "w",
    slot: "scene/12/video",
  });
  expect(read("/api/projects/p/works/w/media/audio")).toMatchObject({ slot: "audio" });
});

test("generated media are named with what is signed", () => {
  expect(read("/api/media/media_1?expires=12&signature=abc")).toEqual({
    kind: "generated_media",
    mediaId: "media_1",
    signed: { expires: "12", signature: "abc" },
  });
  expect(read("https://reels.example/api/media/media_1")).toMatchObject({ signed: {} });
});

test.each([
  "/api/projects/p/works/w/media/scene/1/sound",
  "/api/projects/p/assets/a/thumbnail",
  "/api/projects",
  "/api/media",
  "/api/media/a/b",
  "/",
  "//reels.example/",
])("%s is ours and names no file", (url) => {
  expect(read(url)).toEqual({ kind: "no_file" });
});

test.each([
  "https://elsewhere.example/api/projects/p/assets/a",
  "http://reels.example/api/projects/p/assets/a",
  "//elsewhere.example/api/projects/p/assets/a",
  "data:audio/wav;base64,AAAA",
  "blob:https://reels.example/a",
  "file:///etc/passwd",
  "http://",
])("%s is not ours", (url) => {
  expect(read(url)).toBeUndefined();
});
