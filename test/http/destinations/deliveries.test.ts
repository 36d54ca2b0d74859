import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { jsonClient, jsonClientWithScopes } from "../../support/json-client.ts";
import { exportsOf } from "../../support/media/instant-exports.ts";
import { s3Server } from "../../support/s3-server.ts";
import { testService } from "../../support/service.ts";
import { newPictureFilm } from "../../support/work-videos.ts";
import { apiError, quotaExceeded, tokenError, youtubeServer } from "../../support/youtube-server.ts";

const store = s3Server();
const bucket = store.newBucket();
const youtube = youtubeServer();

type Received = { readonly method: string; readonly headers: Headers; readonly body: string };
const received: Received[] = [];
const answers: Response[] = [];
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    received.push({ method: request.method, headers: request.headers, body: await request.text() });
    return answers.shift() ?? new Response(null, { status: 201, headers: { location: "/files/7" } });
  },
});
const hook = `http://127.0.0.1:${receiver.port}/upload?key=1`;

const portOf = (url: string) => new URL(url).port;
/** A video of this many characters. */
let length = 100;
const service = await testService(
  {
    FETCH_EXTRA_PORTS: [portOf(bucket.endpoint), portOf(hook), portOf(youtube.baseUrl)].join(","),
    ALLOW_PRIVATE_NETWORK: "true",
    YOUTUBE_BASE_URL: youtube.baseUrl,
  },
  undefined,
  exportsOf(() => "v".repeat(length)),
);
const ann = await service.register("Ann");
const api = jsonClient(ann);
const { request } = await newPictureFilm(ann);
const { projectId } = request;

afterAll(async () => {
  await service.close();
  store.stop();
  await youtube.stop();
  await receiver.stop(true);
});

afterEach(() => {
  store.failWith(undefined);
  youtube.failWith(undefined);
  length = 100;
});

const base = `/api/projects/${projectId}/destinations`;
const { endpoint, bucket: bucketName, region, accessKeyId, secretAccessKey } = bucket;
const shelf = { type: "s3", endpoint, bucket: bucketName, region, accessKeyId, secretAccessKey, prefix: "films/" };
await api("PUT", `${base}/shelf`, shelf);
await api("PUT", `${base}/channel`, { type: "youtube", ...youtube.credentials, title: "About {name}", tags: ["cups"] });

/** An export with these destinations, once nothing of it is left to do; and its deliveries. */
async function delivered(destinations: readonly object[], more: object = {}) {
  const { body, status } = await api("POST", "/api/exports", { ...request, ...more, destinations });
  expect([status, body]).toEqual([202, expect.anything()]);
  return { id: body.id as string, deliveries: await settled(body.id) };
}

async function settled(id: string) {
  for (;;) {
    const { body } = await api("GET", `/api/exports/${id}/deliveries`);
    const isOpen = ({ status, retryAt }: { status: string; retryAt?: number }) =>
      status === "sending" || (status === "queued" && retryAt === undefined);
    if (body.deliveries.length > 0 && !body.deliveries.some(isOpen)) return body.deliveries;
    await Bun.sleep(20);
  }
}

describe("a destination", () => {
  test("is listed without its credentials, and removed", async () => {
    const { body, status } = await api("PUT", `${base}/other`, {
      ...shelf,
      secretAccessKey: "a-long-secret-access-key-wxyz",
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: "other",
      type: "s3",
      bucket: bucketName,
      hasCredentials: true,
      secretEnd: "wxyz",
    });
    const { body: list } = await api("GET", base);
    expect(list.destinations.map(({ name }: { name: string }) => name)).toEqual(["channel", "other", "shelf"]);
    expect(JSON.stringify([body, list])).not.toContain("a-long-secret");
    expect(JSON.stringify(list)).not.toContain("refresh-token");
    expect((await api("GET", `${base}/other`)).body).toEqual(body);
    expect((await api("DELETE", `${base}/other`)).status).toBe(204);
    expect((await api("GET", `${base}/other`)).status).toBe(404);
  });

  test("is stored encrypted", async () => {
    const rows = JSON.stringify(await service.db.execute("select settings, sealed, hint from destinations"));
    expect(rows).toContain(bucketName);
    for (const secret of [secretAccessKey, "client-secret", "refresh-token"]) expect(rows).not.toContain(secret);
  });

  test.each([
    ["of an unknown type", { type: "ftp" }, "type"],
    ["without its secret", { ...shelf, secretAccessKey: undefined }, "secretAccessKey"],
    ["with a title that YouTube refuses", { type: "youtube", ...youtube.credentials, title: "a < b" }, "title"],
    ["with a header of the service's own", { type: "webhook-upload", url: hook, headers: { Host: "a" } }, "headers"],
  ])("%s is refused", async (_, body, path) => {
    const { status, body: answer } = await api("PUT", `${base}/wrong`, body);
    expect([status, answer.code, answer.details?.[0]?.path]).toEqual([400, "validation_error", path]);
  });

  test("is of its project alone", async () => {
    const bob = jsonClient(await service.register("Bob"));
    expect((await bob("GET", base)).status).toBe(404);
    expect((await bob("PUT", `${base}/shelf`, shelf)).status).toBe(404);
  });
});

describe("S3", () => {
  test("gets each video once, under its key", async () => {
    const { id, deliveries } = await delivered([{ type: "s3", name: "shelf" }]);
    const key = `films/${id}.mp4`;
    const url = `${endpoint}/${bucketName}/${key}`;
    expect(deliveries).toMatchObject([
      {
        type: "s3",
        destination: "shelf",
        status: "delivered",
        attempts: 1,
        sentBytes: 100,
        result: { url, key, status: 200 },
      },
    ]);
    expect(store.objectsOf(bucket).get(key)?.bytes.length).toBe(100);
    await api("POST", `/api/exports/${id}/deliveries`, { destinations: [{ type: "s3", name: "shelf" }] });
    expect((await settled(id)).length).toBe(1);
    expect(store.requests.filter((line) => line === `PUT /${bucketName}/${key}`).length).toBe(1);
  });

  test("gets a key of the order's own, in which names are one part", async () => {
    const key = "{name}/été ({target}).{extension}";
    const { deliveries } = await delivered([{ type: "s3", name: "shelf", key }], {
      options: { ...request.options, targets: ["9:16", "1:1"] },
    });
    expect(deliveries.map(({ result }: { result: { key: string } }) => result.key)).toEqual([
      "films/Film/été (9x16).mp4",
      "films/Film/été (1x1).mp4",
    ]);
    expect([...store.objectsOf(bucket).keys()].map(decodeURIComponent)).toContain("films/Film/été (9x16).mp4");
  });

  test("gets large files in parts, and an interrupted upload continues with what it has", async () => {
    length = 20 * 1024 ** 2;
    let parts = 0;
    store.failWith(({ url, method }) => {
      if (method !== "PUT" || !url.includes("partNumber")) return undefined;
      parts++;
      return parts === 2 ? new Response("<Error><Code>SlowDown</Code></Error>", { status: 503 }) : undefined;
    });
    const { id, deliveries } = await delivered([{ type: "s3", name: "shelf" }]);
    expect(deliveries).toMatchObject([{ status: "delivered", attempts: 2 }]);
    // of three parts, the first is not sent again; the second was stored although its answer was lost
    expect([parts, store.uploads.size]).toEqual([3, 0]);
    expect(store.objectsOf(bucket).get(`films/${id}.mp4`)?.bytes.length).toBe(length);
  });

  test("is not sent a file again whose answer was lost", async () => {
    let isLost = false;
    store.failWith(({ method }) => {
      if (method !== "PUT" || isLost) return undefined;
      isLost = true;
      return new Response(null, { status: 500 });
    });
    const { id, deliveries } = await delivered([{ type: "s3", name: "shelf" }]);
    expect(deliveries).toMatchObject([{ status: "delivered", attempts: 2 }]);
    expect(store.requests.filter((line) => line.startsWith("PUT") && line.includes(id)).length).toBe(1);
  });

  test.each([
    ["NoSuchBucket", 404, "The store has no bucket"],
    ["SignatureDoesNotMatch", 403, "The store refuses the credentials"],
    ["AccessDenied", 403, "The credentials may not write"],
  ])("%s ends the delivery at once", async (code, status, message) => {
    store.failWith(() => new Response(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`, { status }));
    const { deliveries } = await delivered([{ type: "s3", name: "shelf" }]);
    expect(deliveries).toMatchObject([{ status: "failed", attempts: 1, error: { code, status } }]);
    expect(deliveries[0].error.message).toStartWith(message);
  });

  test("a failed delivery is sent again when its owner asks", async () => {
    store.failWith(() => new Response("<Error><Code>NoSuchBucket</Code></Error>", { status: 404 }));
    const { id, deliveries } = await delivered([{ type: "s3", name: "shelf" }]);
    store.failWith(undefined);
    expect((await api("POST", `/api/exports/${id}/deliveries/${deliveries[0].id}/retry`)).status).toBe(202);
    const [again] = await settled(id);
    expect(again).toMatchObject({ id: deliveries[0].id, status: "delivered", attempts: 2 });
    expect(again.error).toBeUndefined();
  });
});

describe("a webhook-upload", () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

  test("gets the file with a signature over its bytes, and a key against repetitions", async () => {
    received.length = 0;
    answers.push(new Response("later", { status: 503 }));
    const { deliveries } = await delivered([
      { type: "webhook-upload", url: hook, secret, headers: { "X-Own": "yes" } },
    ]);
    const result = { url: `http://127.0.0.1:${receiver.port}/files/7`, status: 201 };
    expect(deliveries).toMatchObject([{ status: "delivered", attempts: 2, result }]);
    expect(JSON.stringify(deliveries)).not.toContain("key=1");
    const [{ headers, body, method }] = received as [Received];
    const signed = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${body}`;
    const signature = createHmac("sha256", Buffer.alloc(32, 7)).update(signed).digest("base64");
    expect([method, headers.get("webhook-signature")]).toEqual(["POST", `v1,${signature}`]);
    expect(headers.get("content-type")).toBe("video/mp4");
    expect(headers.get("x-own")).toBe("yes");
    expect(received.map((each) => each.headers.get("idempotency-key"))).toEqual([deliveries[0].id, deliveries[0].id]);
  });

  test("that refuses the file ends the delivery, with its words", async () => {
    answers.push(new Response("<b>Too long</b> a film", { status: 422 }));
    const { deliveries } = await delivered([{ type: "webhook-upload", url: hook }]);
    const error = { code: "http_422", status: 422, message: "The receiver answered 422: Too long a film" };
    expect(deliveries).toMatchObject([{ status: "failed", attempts: 1, error }]);
  });
});

describe("YouTube", () => {
  const channel = { type: "youtube", name: "channel" };

  test("gets a private video with title, tags and the flag of synthetic media", async () => {
    youtube.videos.length = 0;
    const { deliveries } = await delivered([{ ...channel, description: "A film." }]);
    expect(deliveries).toMatchObject([
      { status: "delivered", result: { videoId: "video-1", url: "https://www.youtube.com/watch?v=video-1" } },
    ]);
    expect(youtube.videos[0]?.body).toEqual({
      snippet: { title: "About Film", description: "A film.", tags: ["cups"] },
      status: { privacyStatus: "private", selfDeclaredMadeForKids: false, containsSyntheticMedia: false },
    });
  });

  test("an interrupted upload continues in its session, and makes one video", async () => {
    youtube.videos.length = 0;
    youtube.requests.length = 0;
    length = 20 * 1024 ** 2;
    let puts = 0;
    youtube.failWith(({ method }) =>
      method === "PUT" && ++puts === 2 ? new Response(null, { status: 503 }) : undefined,
    );
    const { deliveries } = await delivered([channel]);
    expect(deliveries).toMatchObject([{ status: "delivered", attempts: 2, sentBytes: 16 * 1024 ** 2 }]);
    const [part, size] = [8 * 1024 ** 2, length];
    expect(youtube.requests.flatMap((line) => line.split(" bytes ")[1] ?? [])).toEqual([
      `0-${part - 1}/${size}`,
      `${part}-${2 * part - 1}/${size}`,
      `*/${size}`,
      `${part}-${2 * part - 1}/${size}`,
      `${2 * part}-${size - 1}/${size}`,
    ]);
    expect(youtube.videos.length).toBe(1);
  });

  test("a video whose answer was lost is found in its session", async () => {
    youtube.videos.length = 0;
    let isLost = false;
    youtube.failWith(async (request) => {
      if (request.method !== "PUT" || isLost) return undefined;
      isLost = true;
      const [session] = [...youtube.sessions.values()].slice(-1);
      session!.videoId = "video-lost";
      youtube.videos.push({ id: "video-lost", body: session!.body, sizeBytes: session!.sizeBytes });
      return new Response(null, { status: 502 });
    });
    const { deliveries } = await delivered([channel]);
    expect(deliveries).toMatchObject([{ status: "delivered", attempts: 2, result: { videoId: "video-lost" } }]);
    expect(youtube.videos.length).toBe(1);
  });

  test.each([
    [
      "invalid_grant",
      400,
      () => tokenError(400, "invalid_grant", "Token has been expired or revoked."),
      "Google refuses the refresh token",
    ],
    [
      "invalid_client",
      401,
      () => tokenError(401, "invalid_client", "The OAuth client was not found."),
      "Google does not know the client",
    ],
    ["youtubeSignupRequired", 401, () => apiError(401, "youtubeSignupRequired"), "The account has no YouTube channel"],
    [
      "invalidTitle",
      400,
      () => apiError(400, "invalidTitle", "The request metadata specifies an invalid video title."),
      "YouTube answered 400: The request metadata",
    ],
    ["forbidden", 403, () => apiError(403, "forbidden", "Forbidden"), "YouTube answered 403: Forbidden"],
  ])("%s ends the delivery at once", async (code, status, answer, message) => {
    const isToken = code.startsWith("invalid_");
    youtube.failWith(({ url }) => (url.endsWith("/token") === isToken ? answer() : undefined));
    const { deliveries } = await delivered([channel]);
    expect(deliveries).toMatchObject([{ status: "failed", attempts: 1, error: { code, status } }]);
    expect(deliveries[0].error.message).toStartWith(message);
  });

  test.each([
    ["quotaExceeded", quotaExceeded, 60, 25 * 3600 + 300],
    [
      "uploadLimitExceeded",
      () => apiError(400, "uploadLimitExceeded", "The user has exceeded the number of videos they may upload."),
      86_000,
      86_401,
    ],
  ])("%s waits as long as the API says", async (code, answer, least, most) => {
    youtube.failWith(({ url }) => (url.endsWith("/token") ? undefined : answer()));
    const { deliveries } = await delivered([channel]);
    expect(deliveries).toMatchObject([{ status: "queued", attempts: 1, error: { code } }]);
    const seconds = (deliveries[0].retryAt - Date.now()) / 1000;
    expect(seconds).toBeWithin(least, most);
  });
});

describe("an order of deliveries", () => {
  test("that is a dry run says what would be sent, without secrets, and sends nothing", async () => {
    const { id } = await delivered([{ type: "s3", name: "shelf" }]);
    const requests = [store.requests.length, youtube.requests.length, received.length];
    const destinations = [
      { type: "s3", name: "shelf", key: "a/{exportId}.{extension}" },
      { type: "youtube", name: "channel", privacy: "unlisted" },
      { type: "webhook-upload", url: hook, secret: "a secret of thirty characters!" },
    ];
    const { status, body } = await api("POST", `/api/exports/${id}/deliveries`, { destinations, dryRun: true });
    expect(status).toBe(200);
    expect(body.deliveries).toMatchObject([
      {
        status: "dry_run",
        plan: {
          file: { bytes: 100, contentType: "video/mp4" },
          requests: [{ method: "PUT", url: `${endpoint}/${bucketName}/films/a/${id}.mp4`, bytes: 100 }],
          result: { key: `films/a/${id}.mp4` },
        },
      },
      {
        plan: {
          requests: [
            { method: "POST", url: `${youtube.baseUrl}/token` },
            { method: "POST", body: { snippet: { title: "About Film" }, status: { privacyStatus: "unlisted" } } },
            { method: "PUT", bytes: 100 },
          ],
        },
      },
      { plan: { requests: [{ method: "POST", contentType: "video/mp4", bytes: 100 }] } },
    ]);
    expect(JSON.stringify(body)).not.toMatch(/a secret of|client-secret|refresh-token|test-secret|key=1/);
    expect([store.requests.length, youtube.requests.length, received.length]).toEqual(requests);
    expect((await api("GET", `/api/exports/${id}/deliveries`)).body.count).toBe(1);
  });

  test("in an export can be a dry run, too, which a retry sends", async () => {
    youtube.videos.length = 0;
    const { id, deliveries } = await delivered([{ type: "youtube", name: "channel", dryRun: true }]);
    expect(deliveries).toMatchObject([{ status: "dry_run", plan: { result: {} } }]);
    expect(youtube.videos.length).toBe(0);
    await api("POST", `/api/exports/${id}/deliveries/${deliveries[0].id}/retry`);
    expect(await settled(id)).toMatchObject([{ status: "delivered" }]);
    expect(youtube.videos.length).toBe(1);
  });

  test.each([
    ["names no destination of the project", [{ type: "s3", name: "nowhere" }], "destinations.0.name"],
    ["names one of another type", [{ type: "youtube", name: "shelf" }], "destinations.0.name"],
    ["has an unknown variable", [{ type: "s3", name: "shelf", key: "{sku}.mp4" }], "destinations.0.key"],
    ["leaves its folder", [{ type: "s3", name: "shelf", key: "../{exportId}" }], "destinations.0.key"],
    [
      "sends a video to one place twice",
      [
        { type: "s3", name: "shelf" },
        { type: "s3", name: "shelf" },
      ],
      "destinations.1",
    ],
    ["has neither a name nor a url", [{ type: "webhook-upload" }], "destinations.0"],
  ])("is refused if it %s", async (_, destinations, path) => {
    const { status, body } = await api("POST", "/api/exports", { ...request, destinations });
    expect([status, body.details?.[0]?.path]).toEqual([400, path]);
    const { body: report } = await api("POST", "/api/export/validate", { ...request, destinations });
    expect([report.ok, report.errors[0]?.path]).toEqual([false, path]);
  });

  test("is refused if several videos would have one key", async () => {
    const destinations = [{ type: "s3", name: "shelf", key: "film.{extension}" }];
    const options = { ...request.options, targets: ["9:16", "1:1"] };
    const { status, body } = await api("POST", "/api/exports", { ...request, options, destinations });
    expect([status, body.details[0].path]).toEqual([400, "destinations.0.key"]);
  });

  test("needs a scope that writes", async () => {
    const reader = await jsonClientWithScopes(service, ann, ["works:read", "projects:read"]);
    const { status, body } = await reader("POST", "/api/exports", {
      ...request,
      destinations: [{ type: "s3", name: "shelf" }],
    });
    expect([status, body.code]).toEqual([403, "insufficient_scope"]);
  });

  test("fails with its export", async () => {
    const broken = { ...request, audio: { audioUrl: `http://127.0.0.1:${receiver.port}/missing` } };
    const { deliveries } = await delivered([{ type: "s3", name: "shelf" }], broken);
    expect(deliveries).toMatchObject([{ status: "failed", attempts: 0, error: { code: "export_failed" } }]);
  });

  test("to a destination that was removed meanwhile fails", async () => {
    await api("PUT", `${base}/gone`, shelf);
    store.failWith(() => new Response(null, { status: 503 }));
    const { body } = await api("POST", "/api/exports", { ...request, destinations: [{ type: "s3", name: "gone" }] });
    await api("DELETE", `${base}/gone`);
    expect(await settled(body.id)).toMatchObject([{ status: "failed", error: { code: "destination_missing" } }]);
  });
});
