import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { fakeServer } from "../../support/models/fake-server.ts";
import { codeOf, recordedCall } from "../../support/models/model-calls.ts";
import {
  completedWithUri,
  failing,
  mp4Bytes,
  omniFixture,
  type Replies,
  type Reply,
} from "../../support/models/omni.ts";

let fixture: Awaited<ReturnType<typeof omniFixture>>;
let otherServer: ReturnType<typeof fakeServer>;
beforeAll(async () => {
  fixture = await omniFixture();
  otherServer = fakeServer({ "GET /*": () => new Response(mp4Bytes) });
});
afterAll(async () => {
  otherServer.stop();
  await fixture.close();
});

const complete: Reply = () => new Response(mp4Bytes);
/** Half of the video, then a connection error. */
const broken: Reply = () => {
  let sent = false;
  const body = new ReadableStream({
    pull: (controller) => {
      if (sent) return controller.error();
      sent = true;
      controller.enqueue(mp4Bytes.subarray(0, 100_000));
    },
  });
  return new Response(body);
};

/** The received files that were neither stored nor discarded. */
async function leftoverFiles() {
  const paths = await readdir(fixture.folder, { recursive: true });
  return paths.filter((path) => /^tmp\/[^/]+\/./.test(path));
}

async function animate(replies: Replies, call = recordedCall().call) {
  const { model, counts, requests } = fixture.google(replies);
  const work = model.animate(fixture.task(), call, { save: async () => {} });
  const error = await work.catch((reason) => reason);
  const code = await codeOf(work);
  const file = code === "ok" ? await work : undefined;
  const bytes = file && (await Bun.file(file.path).bytes());
  if (file) await fixture.files.discard(file);
  return { code, error, bytes, counts: counts(), requests };
}

test("downloads the video with the key and stores its exact bytes", async () => {
  const { bytes, requests } = await animate({});
  expect(bytes).toEqual(new Uint8Array(mp4Bytes));
  expect(requests.at(-1)).toMatchObject({ method: "GET", path: "/v1beta/files/video:download" });
  expect(requests.at(-1)?.headers.get("x-goog-api-key")).toBe("a key of the caller");
});

test("the URI of a file without :download is completed", async () => {
  const { code, requests } = await animate({ polls: [completedWithUri("/v1beta/files/video")] });
  expect([code, requests.at(-1)?.path]).toEqual(["ok", "/v1beta/files/video:download"]);
});

test.each([
  ["breaks", broken],
  ["fails", failing(500)],
  ["is not found", failing(404)],
])("a download that %s is repeated without creating another job", async (_, failed) => {
  const { bytes, counts } = await animate({ downloads: [failed, failed, complete] });
  expect(bytes).toEqual(new Uint8Array(mp4Bytes));
  expect(counts).toEqual({ creations: 1, polls: 1, downloads: 3, cancels: 0 });
});

test.each([
  ["breaks", broken],
  ["fails", failing(500)],
  ["is not found", failing(404)],
])("a download that always %s fails after three attempts and leaves no file", async (_, failed) => {
  const { error, counts } = await animate({ downloads: [failed] });
  expect(error).toMatchObject({ code: "provider_error", facts: { unanswered: true } });
  expect([counts.downloads, counts.creations]).toEqual([3, 1]);
  expect(await leftoverFiles()).toEqual([]);
});

test("waits for a file that is not ready, for more than three attempts", async () => {
  const downloads = [...Array<Reply>(5).fill(failing(400)), complete];
  const { code, counts } = await animate({ downloads, fileStates: ["PROCESSING"] });
  expect([code, counts.downloads]).toEqual(["ok", 6]);
});

test.each([
  ["a page", "<!doctype html><title>Sign in</title>"],
  ["three bytes", "mp4"],
  ["an empty body", ""],
])("%s is not a video and is downloaded once", async (_, body) => {
  const { code, counts } = await animate({ downloads: [() => new Response(body)] });
  expect([code, counts.downloads]).toEqual(["provider_bad_response", 1]);
  expect(await leftoverFiles()).toEqual([]);
});

test("does not download from another origin", async () => {
  const otherOrigin = new URL("/video.mp4", otherServer.url).href;
  for (const uri of [otherOrigin, "file:///etc/hostname", "http://[::1", "data:video/mp4;base64,AAAA"]) {
    const { code, counts } = await animate({ polls: [completedWith(uri)] });
    expect([code, counts.downloads]).toEqual(["provider_bad_response", 0]);
  }
  expect(otherServer.requests).toEqual([]);
});

const completedWith =
  (uri: string): Reply =>
  () =>
    Response.json({ status: "completed", steps: [{ type: "model_output", content: [{ type: "video", uri }] }] });

test("does not follow a redirect to another origin", async () => {
  const { code, counts } = await animate({ downloads: [() => Response.redirect(`${otherServer.url}/video.mp4`)] });
  expect([code, counts.creations]).toEqual(["provider_error", 1]);
  expect(otherServer.requests).toEqual([]);
});

test("follows a redirect within the origin", async () => {
  const redirect: Reply = (origin) => Response.redirect(`${origin}/v1beta/files/other:download?alt=media`);
  const { bytes } = await animate({ downloads: [redirect, complete] });
  expect(bytes).toEqual(new Uint8Array(mp4Bytes));
});

test("a disconnect aborts the download and does not cancel the finished job", async () => {
  const { call, disconnect } = recordedCall();
  const disconnecting: Reply = () => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(mp4Bytes.subarray(0, 100_000)),
      pull: () => disconnect(),
    });
    return new Response(body);
  };
  const { model, counts } = fixture.google({ downloads: [disconnecting] });
  await expect(model.animate(fixture.task(), call, { save: async () => {} })).rejects.toThrow();
  expect(counts()).toEqual({ creations: 1, polls: 1, downloads: 1, cancels: 0 });
  expect(await leftoverFiles()).toEqual([]);
});
