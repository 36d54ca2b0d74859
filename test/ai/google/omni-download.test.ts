import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { codeOf, notedCall } from "../../helpers/model-calls.ts";
import { byAddress, failing, film, omniBench, type Replies, type Reply } from "../../helpers/omni.ts";
import { standIn } from "../../helpers/stand-in.ts";

let bench: Awaited<ReturnType<typeof omniBench>>;
let stranger: ReturnType<typeof standIn>;
beforeAll(async () => {
  bench = await omniBench();
  stranger = standIn({ "GET /*": () => new Response(film) });
});
afterAll(async () => {
  stranger.stop();
  await bench.close();
});

const whole: Reply = () => new Response(film);
/** Half of the film, and then the connection is gone. */
const half: Reply = () => {
  let sent = false;
  const body = new ReadableStream({
    pull: (controller) => {
      if (sent) return controller.error();
      sent = true;
      controller.enqueue(film.subarray(0, 100_000));
    },
  });
  return new Response(body);
};

/** What has arrived and was not given away. */
async function leftovers() {
  const paths = await readdir(bench.folder, { recursive: true });
  return paths.filter((path) => /^tmp\/[^/]+\/./.test(path));
}

async function fetched(replies: Replies, call = notedCall().call) {
  const { model, counts, taken } = bench.google(replies);
  const work = model.animate(bench.task(), call, { keep: async () => {} });
  const code = await codeOf(work);
  const file = code === "ok" ? await work : undefined;
  const bytes = file && (await Bun.file(file.path).bytes());
  if (file) await bench.files.discard(file);
  return { code, bytes, counts: counts(), taken };
}

test("the video is fetched with the key, and is on the disk as it was sent", async () => {
  const { bytes, taken } = await fetched({});
  expect(bytes).toEqual(new Uint8Array(film));
  expect(taken.at(-1)).toMatchObject({ method: "GET", path: "/v1beta/files/film:download" });
  expect(taken.at(-1)?.headers.get("x-goog-api-key")).toBe("a key of the caller");
});

test("the bare address of a file is one to download", async () => {
  const { code, taken } = await fetched({ looks: [byAddress("/v1beta/files/film")] });
  expect([code, taken.at(-1)?.path]).toEqual(["ok", "/v1beta/files/film:download"]);
});

test.each([
  ["breaks off", half],
  ["fails", failing(500)],
  ["is not found", failing(404)],
])("a download that %s is repeated, and the job is not", async (_, broken) => {
  const { bytes, counts } = await fetched({ fetches: [broken, broken, whole] });
  expect(bytes).toEqual(new Uint8Array(film));
  expect(counts).toEqual({ creations: 1, looks: 1, fetches: 3, cancels: 0 });
});

test.each([
  ["breaks off", half],
  ["fails", failing(500)],
  ["is not found", failing(404)],
])("a download that always %s is given up after three, and leaves no file", async (_, broken) => {
  const { code, counts } = await fetched({ fetches: [broken] });
  expect([code, counts.fetches, counts.creations]).toEqual(["provider_error", 3, 1]);
  expect(await leftovers()).toEqual([]);
});

test("a file that is not ready is waited for", async () => {
  const fetches = [...Array<Reply>(5).fill(failing(400)), whole];
  const { code, counts } = await fetched({ fetches, states: ["PROCESSING"] });
  expect([code, counts.fetches]).toEqual(["ok", 6]);
});

test.each([
  ["a page", "<!doctype html><title>Sign in</title>"],
  ["three bytes", "mp4"],
  ["nothing", ""],
])("%s is no video, and is fetched once", async (_, body) => {
  const { code, counts } = await fetched({ fetches: [() => new Response(body)] });
  expect([code, counts.fetches]).toEqual(["provider_bad_response", 1]);
  expect(await leftovers()).toEqual([]);
});

test("a stranger's address is not fetched", async () => {
  const elsewhere = new URL("/film.mp4", stranger.url).href;
  for (const address of [elsewhere, "file:///etc/hostname", "http://[::1", "data:video/mp4;base64,AAAA"]) {
    const { code, counts } = await fetched({ looks: [(origin) => addressed(address)(origin)] });
    expect([code, counts.fetches]).toEqual(["provider_bad_response", 0]);
  }
  expect(stranger.taken).toEqual([]);
});

const addressed =
  (uri: string): Reply =>
  () =>
    Response.json({ status: "completed", steps: [{ type: "model_output", content: [{ type: "video", uri }] }] });

test("a stranger is not followed to", async () => {
  const { code, counts } = await fetched({ fetches: [() => Response.redirect(`${stranger.url}/film.mp4`)] });
  expect([code, counts.creations]).toEqual(["provider_error", 1]);
  expect(stranger.taken).toEqual([]);
});

test("within its own origin the provider may send us on", async () => {
  const onward: Reply = (origin) => Response.redirect(`${origin}/v1beta/files/other:download?alt=media`);
  const { bytes } = await fetched({ fetches: [onward, whole] });
  expect(bytes).toEqual(new Uint8Array(film));
});

test("a client that leaves ends the download, and the finished job is not cancelled", async () => {
  const { call, leave } = notedCall();
  const leaving: Reply = () => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(film.subarray(0, 100_000)),
      pull: () => leave(),
    });
    return new Response(body);
  };
  const { model, counts } = bench.google({ fetches: [leaving] });
  await expect(model.animate(bench.task(), call, { keep: async () => {} })).rejects.toThrow();
  expect(counts()).toEqual({ creations: 1, looks: 1, fetches: 1, cancels: 0 });
  expect(await leftovers()).toEqual([]);
});
