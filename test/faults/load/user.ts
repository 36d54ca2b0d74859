import { createHash } from "node:crypto";
import { createCanvas } from "@napi-rs/canvas";
import { formWith, type Reply, type Send } from "./client.ts";
import type { Ledger, Order, User } from "./ledger.ts";
import { oneOf, type Random } from "./random.ts";

type LoadOptions = {
  readonly send: Send;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly webhookUrl: string;
  /** A short clip for scenes. */
  readonly clip: Uint8Array;
  readonly clipSeconds: number;
};

export type Actor = LoadOptions & { readonly user: User; readonly projectId: string; readonly workId: string };

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Throws for a reply that the load does not expect: requests are valid. Undefined once the load was stopped. */
function expectStatus(reply: Reply | undefined, ledger: Ledger, what: string, ...allowed: number[]): Reply | undefined {
  if (!reply || allowed.includes(reply.status)) return reply;
  ledger.violations.push(`${what}: ${reply.status} ${new TextDecoder().decode(reply.bytes).slice(0, 200)}`);
  return undefined;
}

const jsonBody = (body: object) => ({
  body: () => JSON.stringify(body),
  headers: { "content-type": "application/json" },
});

/** A registered user with a project and a work of one scene that has a clip. */
export async function newActor(options: LoadOptions): Promise<Actor> {
  const { send, ledger, clip } = options;
  const required = async (what: string, path: string, sent: Parameters<Send>[1], ...allowed: number[]) => {
    const reply = expectStatus(await send(path, sent), ledger, what, ...allowed);
    if (!reply) throw new Error(`The load could not begin: ${what}.`);
    return reply.json;
  };
  const registration = { email: `${crypto.randomUUID()}@example.com`, password: "a good long password", name: "Ann" };
  const sent = { method: "POST", ...jsonBody(registration) };
  const { user, accessToken } = await required("register", "/api/auth/register", sent, 201);
  const authorization = { authorization: `Bearer ${accessToken}` };
  const post = (path: string, body: object) => {
    const { headers, ...rest } = jsonBody(body);
    return required(path, path, { method: "POST", ...rest, headers: { ...headers, ...authorization } }, 201);
  };
  const { id: projectId } = await post("/api/projects", { name: "Launch" });
  const scene = { duration_seconds: 1, image_prompt: "A teapot", negative_prompt: "", video_prompt: "It pours" };
  const scenes = [0, 1].map((index) => ({ ...scene, scene_index: index, transition: "cut" }));
  const resolution = { width: 128, height: 72 };
  const { id: workId } = await post(`/api/projects/${projectId}/works`, { name: "Film", scenes, resolution });
  await required(
    "upload a clip",
    `/api/projects/${projectId}/works/${workId}/media/scene/0/video`,
    { method: "POST", headers: authorization, body: formWith("file", clip, "clip.mp4", "video/mp4") },
    200,
  );
  return { ...options, user: { id: user.id, authorization }, projectId, workId };
}

/** An image that no other upload equals. */
function uniqueImage(random: Random): Uint8Array {
  const canvas = createCanvas(32, 32);
  const context = canvas.getContext("2d");
  for (let row = 0; row < 32; row++) {
    context.fillStyle = `rgb(${[1, 2, 3].map(() => Math.floor(random() * 256)).join(",")})`;
    context.fillRect(0, row, 32, 1);
  }
  return canvas.toBuffer("image/png");
}

export async function uploadAsset({ send, ledger, random, user, projectId }: Actor): Promise<void> {
  const bytes = uniqueImage(random);
  const body = formWith("file", bytes, "image.png", "image/png");
  const path = `/api/projects/${projectId}/assets`;
  const sent = await send(path, { method: "POST", headers: user.authorization, body });
  const reply = expectStatus(sent, ledger, "upload", 201);
  if (reply) ledger.files.set(reply.json.url, { user, path: reply.json.url, sha256: sha256(bytes) });
}

export async function readFile({ send, ledger, random, user }: Actor): Promise<void> {
  const own = [...ledger.files.values()].filter((file) => file.user === user);
  if (own.length === 0) return;
  const file = oneOf(random, own);
  const reply = await send(file.path, { headers: user.authorization });
  // another action may have removed it meanwhile
  if (!reply || !ledger.files.has(file.path)) return;
  if (reply.status !== 200) ledger.violations.push(`confirmed file ${file.path}: ${reply.status}`);
  else if (file.sha256 && sha256(reply.bytes) !== file.sha256) ledger.violations.push(`other bytes in ${file.path}`);
}

export async function removeAsset({ send, ledger, random, user }: Actor): Promise<void> {
  const own = [...ledger.files.values()].filter((file) => file.user === user && file.sha256);
  if (own.length < 3) return;
  const file = oneOf(random, own);
  ledger.files.delete(file.path);
  const sent = await send(file.path, { method: "DELETE", headers: user.authorization });
  // 404: a lost response had removed it
  if (expectStatus(sent, ledger, "delete", 204, 404)) ledger.removed.set(file.path, file);
}

/** Changes the project and reads the change. */
export async function renameProject({ send, ledger, random, user, projectId }: Actor): Promise<void> {
  const { headers, body } = jsonBody({ name: `Launch ${Math.floor(random() * 1000)}` });
  const path = `/api/projects/${projectId}`;
  expectStatus(
    await send(path, { method: "PUT", headers: { ...headers, ...user.authorization }, body }),
    ledger,
    "rename",
    200,
  );
  for (const read of [path, `${path}/works`, `${path}/assets`, "/api/exports?limit=5", "/api/auth/me"]) {
    expectStatus(await send(read, { headers: user.authorization }), ledger, read, 200);
  }
}

export async function readProject({ send, ledger, user, projectId }: Actor): Promise<void> {
  const path = `/api/projects/${projectId}`;
  expectStatus(await send(path, { headers: user.authorization }), ledger, "read", 200);
}

type ExportOptions = { readonly seconds?: number };

/** Orders a film with an Idempotency-Key and a webhook, and follows it until its end. */
export async function exportFilm(actor: Actor, { seconds = 1 }: ExportOptions = {}): Promise<Order | undefined> {
  const { send, ledger, random, user, projectId, workId, clipSeconds, webhookUrl } = actor;
  const cutFrom = Math.round(random() * (clipSeconds - seconds) * 100) / 100;
  const clips = [{ sceneIndex: 0, position: 0, end: seconds, cutFrom }];
  const options = { width: 128, height: 72, fps: 25, quality: "draft" };
  const { headers, body } = jsonBody({ projectId, workId, clips, options, webhook: { url: webhookUrl } });
  const key = `order-${crypto.randomUUID()}`;
  const sent = { method: "POST", body, headers: { ...headers, ...user.authorization, "idempotency-key": key } };
  const reply = expectStatus(await send("/api/exports", sent), ledger, "export", 202);
  if (!reply) return undefined;
  ledger.exportKeys.add(key);
  const { id } = reply.json;
  const order: Order = { user, id, isRemoved: false, acceptedAt: Date.now(), hasWebhook: true };
  ledger.orders.push(order);
  await followOrder(actor, order);
  return order;
}

/** Polls until the end. Resolves earlier once the load was stopped: the final checks wait for the rest. */
async function followOrder({ send, ledger, user }: Actor, order: Order): Promise<void> {
  for (;;) {
    const reply = await send(`/api/exports/${order.id}`, { headers: user.authorization });
    if (!reply) return;
    if (reply.status !== 200) return void ledger.violations.push(`accepted export ${order.id}: ${reply.status}`);
    const { status } = reply.json;
    if (["done", "error", "cancelled"].includes(status)) {
      order.endedAt = Date.now();
      order.status = status;
      if (status !== "done") ledger.violations.push(`export ${order.id} ended: ${JSON.stringify(reply.json)}`);
      return;
    }
    await Bun.sleep(300);
  }
}

/** The film as a synchronous response, with a key: a repetition must not order a second one. */
export async function exportAndWait(actor: Actor): Promise<void> {
  const { send, ledger, random, user, projectId, workId, clipSeconds } = actor;
  const cutFrom = Math.round(random() * (clipSeconds - 1) * 100) / 100;
  const clips = [{ sceneIndex: 0, position: 0, end: 1, cutFrom }];
  const options = { width: 128, height: 72, fps: 25, quality: "draft" };
  const { headers, body } = jsonBody({ projectId, workId, clips, options });
  const key = `order-${crypto.randomUUID()}`;
  const sent = { method: "POST", body, headers: { ...headers, ...user.authorization, "idempotency-key": key } };
  const reply = expectStatus(await send("/api/export", sent), ledger, "export and wait", 200);
  if (!reply) return;
  ledger.exportKeys.add(key);
  if (reply.bytes.length < 1000) ledger.violations.push(`a film of ${reply.bytes.length} bytes`);
}

export async function removeExport({ send, ledger, random, user }: Actor): Promise<void> {
  const done = ledger.orders.filter((order) => order.user === user && order.status === "done" && !order.isRemoved);
  if (done.length < 3) return;
  const order = oneOf(random, done);
  order.isRemoved = true;
  const sent = await send(`/api/exports/${order.id}`, { method: "DELETE", headers: user.authorization });
  expectStatus(sent, ledger, "remove export", 204, 404);
}

/** Makes a scene's image and video with the local provider. */
export async function generateScene({ send, ledger, user, projectId, workId }: Actor): Promise<void> {
  const base = `/api/projects/${projectId}/works/${workId}`;
  const { headers, body } = jsonBody({ force: true });
  const key = `scene-${crypto.randomUUID()}`;
  const sent = { method: "POST", body, headers: { ...headers, ...user.authorization, "idempotency-key": key } };
  const reply = expectStatus(await send(`${base}/generate/scene/1`, sent), ledger, "generate scene", 200);
  if (!reply) return;
  for (const path of [reply.json.imageUrl, reply.json.videoUrl]) ledger.files.set(path, { user, path });
}

/** An image of a provider that bills each call; half of them as operations. */
export async function generateImage(actor: Actor): Promise<void> {
  const { send, ledger, random, user } = actor;
  const order = `order-${crypto.randomUUID()}`;
  const { headers, body } = jsonBody({ prompt: `A teapot, ${order}`, resolution: { width: 1024, height: 1024 } });
  const provider = { "x-image-provider": "openai", "x-api-key": "sk-1", "idempotency-key": order };
  const isAsync = random() < 0.5;
  const sent = {
    method: "POST",
    body,
    headers: { ...headers, ...user.authorization, ...provider, ...(isAsync && { prefer: "respond-async" }) },
  };
  const reply = await send("/api/generate/image", { ...sent, isFinal: isInterrupted });
  if (reply?.status === 202) await followOperation(actor, reply.json.id);
  else if (reply && !isInterrupted(reply)) expectStatus(reply, ledger, "generate image", 200);
}

/** A call that may have been billed is never repeated: the documented 502 is its end. */
const isInterrupted = ({ status, json }: Reply): boolean =>
  status === 502 && json?.code === "provider_error" && /billed/.test(json.error);

/** Scenario of the local provider, as an operation. */
export async function writeScenario(actor: Actor): Promise<void> {
  const { send, ledger, user } = actor;
  const intent = { mode: "content_remix", product_name: "Tea", video_duration: 10, scene_count: 2 };
  const { headers, body } = jsonBody({ intent });
  const sent = { method: "POST", body, headers: { ...headers, ...user.authorization, prefer: "respond-async" } };
  const reply = expectStatus(await send("/api/scenario", sent), ledger, "scenario", 202);
  if (reply) await followOperation(actor, reply.json.id);
}

async function followOperation({ send, ledger, user }: Actor, id: string): Promise<void> {
  const path = `/api/operations/${id}`;
  const states: string[] = [];
  ledger.operations.push({ path, states, user });
  for (;;) {
    const reply = expectStatus(await send(path, { headers: user.authorization }), ledger, "operation", 200);
    if (!reply) return;
    const { status, error } = reply.json;
    states.push(error ? `${status} ${error.code}: ${error.error}` : status);
    if (status !== "running") return;
    await Bun.sleep(500);
  }
}
