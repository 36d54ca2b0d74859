import { expect, test } from "bun:test";
import { findSources } from "../../../../src/domain/exports/request/sources.ts";
import type { Work } from "../../../../src/domain/works/works.ts";

const asset = (digit: string) => `asset_${digit.repeat(32)}`;
const file = (name: string, kind: "image" | "audio") => ({ key: name, sha256: name, facts: { kind } });

const ports = {
  assets: {
    findMany: async () => [
      { id: asset("1"), file: file("map.png", "image") },
      { id: asset("2"), file: file("tune.mp3", "audio") },
    ],
    findAlike: async () => [],
  },
  workMedia: { list: async () => [] },
  // safe because the sources of these clips need no more of a store
} as unknown as Parameters<typeof findSources>[0];

const work = { id: "w", projectId: "p" } as Work;

const find = (...clips: readonly { readonly transition: "luma" | "fade"; readonly transitionAssetId?: string }[]) =>
  findSources(ports, work, { clips: clips.map((clip) => ({ sceneIndex: 0, ...clip })) });

test("the picture of the transition luma is a source, and other transitions ignore it", async () => {
  const { lumas = [] } = await find(
    { transition: "luma", transitionAssetId: asset("1") },
    { transition: "fade", transitionAssetId: asset("3") },
  );
  expect(lumas.map((source) => source?.hash)).toEqual(["map.png", undefined]);
});

test.each([
  ["asset_missing", asset("3")],
  ["asset_wrong_type", asset("2")],
] as const)("the error %s names the field of the transition's picture", async (code, transitionAssetId) => {
  const { errors } = await find({ transition: "luma", transitionAssetId });
  const ofLuma: { readonly facts: object }[] = errors.filter((error) => error.code === code);
  expect(ofLuma.map(({ facts }) => facts)).toMatchObject([{ path: "clips.0.transitionAssetId" }]);
});
