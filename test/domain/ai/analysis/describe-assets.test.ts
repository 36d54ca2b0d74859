import { expect, test } from "bun:test";
import { describeAsset } from "../../../../src/domain/ai/analysis/describe-assets.ts";
import type { Asset } from "../../../../src/domain/assets/assets.ts";

type Ports = Parameters<typeof describeAsset>[0];
type Context = Parameters<typeof describeAsset>[1];

test("a request that goes on takes what an earlier version has stored of a call: the words alone", async () => {
  // safe because describing an image reads only these fields
  const asset = { id: "asset_1", name: "cup", type: "image", file: { facts: { kind: "image" } } } as Asset;
  const image = { bytes: new Uint8Array(), mimeType: "image/png" };
  const ports = {
    files: { withLocalFile: async (_: unknown, read: (path: string) => unknown) => read("cup.png") },
    videoAnalyzer: { convertImage: async () => image },
    assets: { change: async (_: string, __: string, edit: (found: Asset) => Asset) => edit(asset) },
  } as unknown as Ports;
  const call = { taskOptions: {}, runOnce: async () => "A cup." };
  const context = { model: { isBilled: true, inputFor: () => "frames" }, call } as unknown as Context;
  expect(await describeAsset(ports, context, asset)).toMatchObject({ description: "A cup.", subjectBoxes: [] });
});
