import { afterAll, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { bytesOf } from "../files/contract.ts";
import { codeOf } from "../samples.ts";
import { gibibyte, machines } from "./machines.ts";

const { server, twoMachines, close } = await machines();
afterAll(close);

test("without the store, uploads and downloads are unavailable, and removals are left to the sweep", async () => {
  const { near, far, file } = await twoMachines(bytesOf(1000));
  const received = await near.receive(Readable.from([bytesOf(10)]), 10);
  await server.stop();
  try {
    const failed = await Promise.all([
      codeOf(near.store(received, "project/new.mp4")),
      codeOf(far.withLocalFile(file, (path) => readFile(path))),
      codeOf(far.read({ ...file, sizeBytes: gibibyte }, 0, 1000)),
      codeOf(near.copy(file.key, "project/copy.mp4")),
      codeOf(near.checkWritable()),
    ]);
    expect(new Set(failed)).toEqual(new Set(["unavailable"]));
    await near.remove([file.key]);
  } finally {
    server.restart();
  }
});
