import { expect, test } from "bun:test";
import { codeOf, recordedCall } from "../support/models/model-calls.ts";
import { mp4Bytes } from "../support/models/omni.ts";
import { type VideoProvider, videoKey, videoProviders } from "../support/models/video-providers.ts";
import { clients, namesOf, noCheckpoint, videoCalls, videoContract } from "./video-contract.ts";

const calls = videoCalls();
const { task, connect, animate } = calls;
const named = namesOf(videoProviders);

test.each(named)("%s: one job is started as described, read and received without the key", async (_, provider) => {
  const saved: string[] = [];
  const result = await animate(provider, {}, { save: async (id) => void saved.push(id) });
  expect(result.violations).toEqual([]);
  expect([result.code, result.message]).toEqual(["ok", ""]);
  expect(result.bytes).toEqual(new Uint8Array(mp4Bytes));
  expect(result.counts).toEqual({ starts: 1, statuses: 3, results: 1, cancels: 0 });
  expect(saved).toHaveLength(1);
  expect(saved[0]).not.toContain(videoKey);
  expect(result.records).toMatchObject([{ purpose: "video", seconds: provider.seconds, outcome: "ok" }]);
  expect(result.keys[0]).toMatch(/^[0-9a-f]{40}$/);
});

test.each(named)("%s: a later attempt reads the job of the checkpoint and starts none", async (_, provider) => {
  let id = "";
  await animate(
    provider,
    {},
    {
      async save(saved) {
        id = saved;
      },
    },
  );
  const { server, model } = connect(provider);
  // the job's addresses are those of the first server
  const moved = id.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, server.url);
  const save = () => Promise.reject(new Error("It is stored already."));
  await model.animate(task(provider), recordedCall().call, { id: moved, save });
  expect(server.counts).toMatchObject({ starts: 0, statuses: 3, results: 1 });
  expect(server.violations).toEqual([]);
});

test("Kling gets the pictures of the product as an element beside the first frame; others get none", async () => {
  const bodyOf = async (provider: VideoProvider, count: number) => {
    const { server, model } = connect(provider);
    const references = Array.from({ length: count }, (_, index) => ({
      bytes: Buffer.from([index]),
      mimeType: "image/jpeg",
    }));
    await model.animate({ ...task(provider), references }, recordedCall().call, noCheckpoint);
    return { maxReferences: model.maxReferences, ...server.bodies[0] };
  };
  const [kling, seedance] = videoProviders as [VideoProvider, VideoProvider];
  const pictures = ["AA==", "AQ==", "Ag=="].map((data) => `data:image/jpeg;base64,${data}`);
  const three = await bodyOf(kling, 3);
  expect(three.elements).toEqual([{ frontal_image_url: pictures[0], reference_image_urls: pictures.slice(1) }]);
  expect(three).toMatchObject({ maxReferences: 4, prompt: expect.stringContaining("@Element1 show the product") });
  expect(three.start_image_url).toStartWith("data:image/png;base64,");
  // an element has at least one picture besides that of its front
  expect((await bodyOf(kling, 1)).elements[0].reference_image_urls).toEqual([pictures[0]]);
  expect(await bodyOf(kling, 0)).not.toHaveProperty("elements");
  expect(await bodyOf(seedance, 0)).toMatchObject({ maxReferences: 0 });
});

test("a job whose address is the provider's own is cancelled where the setting says, too", async () => {
  const [fal] = videoProviders as [VideoProvider];
  const call = recordedCall();
  const { server, model } = connect(fal, {
    starts: [() => fal.started("https://queue.fal.run")],
    statuses: [
      () => {
        call.expire();
        return fal.running();
      },
    ],
  });
  expect(await codeOf(model.animate(task(fal), call.call, noCheckpoint))).toBe("provider_timeout");
  expect(server.counts).toMatchObject({ starts: 1, statuses: 1, cancels: 1 });
});

test("a picture that this machine cannot read is no call, and costs nothing", async () => {
  for (const provider of videoProviders) {
    const { call, records } = recordedCall();
    const { server, model } = connect(provider, {});
    const given = task(provider);
    const animated = model.animate({ ...given, image: { ...given.image, path: "/nowhere" } }, call, noCheckpoint);
    await expect(animated).rejects.toThrow("ENOENT");
    expect([server.counts.starts, records]).toEqual([0, []]);
  }
});

// the further models are trials
videoContract(calls, clients);
