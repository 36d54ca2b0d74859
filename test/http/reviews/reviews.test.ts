import { afterAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { eq, sql } from "drizzle-orm";
import { runMaintenance } from "../../../src/process/maintenance.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { reviews } from "../../../src/storage/tables/reviews.ts";
import { eventsOf } from "../../support/events.ts";
import { jsonClient, jsonClientWithScopes } from "../../support/json-client.ts";
import { controlledRenderer } from "../../support/media/controlled-renderer.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { jsonInit, password, storesOnDisk, testService } from "../../support/service.ts";
import { summedStorage } from "../../support/summed-storage.ts";
import { newFilm } from "../../support/work-videos.ts";

const { renderer, next } = controlledRenderer();
const lines: string[] = [];
const service = await testService(
  { RATE_LIMIT: "on", LOG_LEVEL: "info", TRUSTED_PROXIES: "0.0.0.0/0" },
  { write: (line) => void lines.push(line) },
  (services) => ({ renderer: renderer(services) }),
);
const folder = await temporaryFolder();
const ann = await service.register("Ann");
const bob = await service.register("Bob");
const api = jsonClient(ann);
const film = await newFilm(ann, folder);
const { work } = film;
const { base } = work;

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

async function startExport(options: object = {}, { request } = film, user = ann) {
  const rendering = next();
  const changed = { ...request, options: { ...request.options, ...options } };
  const { body } = await jsonClient(user)("POST", "/api/exports", changed);
  return { id: body.id as string, rendering: await rendering };
}

async function finishedExport(options: object = {}, of = film, user = ann) {
  const { id, rendering } = await startExport(options, of, user);
  await rendering.finish();
  await Array.fromAsync(eventsOf(await user.request(`/api/exports/${id}/events`)));
  return id;
}

const exportId = await finishedExport();

async function newLink(fields: object = {}) {
  const { status, body } = await api("POST", `${base}/reviews`, { exportId, ...fields });
  expect(status).toBe(200);
  return { id: body.id as string, body, link: `/api/reviews/${body.url.split("/").at(-1)}` };
}

const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const response = await service.request(
    path,
    body === undefined ? { method, headers } : jsonInit(method, body, headers),
  );
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
};

const comment = { at: 0.4, text: "Louder <b>here</b>", author: " Eve " };
const expire = (id: string) => service.db.execute(sql`update reviews set expires_at = 1 where id = ${id}`);

describe("a review link", () => {
  test("shows one film to whoever has it, and nothing else", async () => {
    const { body, link } = await newLink();

    expect(body).toMatchObject({ id: expect.stringMatching(/^review_[0-9a-f]{32}$/), exportId, comment: true });
    expect(body.url).toMatch(/^http:\/\/localhost\/studio\/review\/[0-9a-f]{64}$/);
    expect(body.expiresAt - body.createdAt).toBe(14 * 86_400_000);

    const shown = await send("GET", link);
    expect(shown.status).toBe(200);
    expect(shown.body).toEqual({
      ...{ name: "Film", durationSeconds: 1, fps: 30, width: 64, height: 36 },
      ...{ comment: true, approve: true, approval: null, comments: [], expiresAt: body.expiresAt },
    });
    const whole = await service.request(`${link}/file`);
    expect([whole.status, await whole.text()]).toEqual([200, "0123456789"]);
    // no id, no e-mail
    expect(JSON.stringify([shown.body, ...shown.headers, ...whole.headers])).not.toMatch(/[a-z]+_[0-9a-f]{32}|@/);
    expect(shown.headers.get("x-robots-tag")).toContain("noindex");
    expect(shown.headers.get("referrer-policy")).toBe("no-referrer");

    const part = await service.request(`${link}/file`, { headers: { range: "bytes=2-4" } });
    expect([part.status, await part.text(), part.headers.get("content-range")]).toEqual([206, "234", "bytes 2-4/10"]);
  });

  test("takes comments and a decision, which its owner sees", async () => {
    const { id, link } = await newLink();
    const answers = [
      await send("POST", `${link}/comments`, comment),
      await send("POST", `${link}/comments`, { ...comment, at: 0.1 }),
      await send("POST", `${link}/approval`, { state: "changes", author: "Eve", note: " shorter " }),
      await send("POST", `${link}/approval`, { state: "approved", author: "Eve" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const approval = { state: "approved", author: "Eve", createdAt: expect.any(Number) };
    expect(answers.map(({ body }) => body)).toEqual([
      { at: 0.4, text: comment.text, author: "Eve", createdAt: expect.any(Number), resolved: false },
      { at: 0.1, text: comment.text, author: "Eve", createdAt: expect.any(Number), resolved: false },
      { ...approval, state: "changes", note: "shorter" },
      approval,
    ]);

    const own = (await api("GET", `${base}/comments`)).body.filter(
      ({ reviewId }: { reviewId: string }) => reviewId === id,
    );
    expect(own.map(({ at }: { at: number }) => at)).toEqual([0.1, 0.4]);
    const resolved = await api("PUT", `${base}/comments/${own[1].id}`, { resolved: true });
    expect([resolved.status, resolved.body]).toEqual([200, { ...own[1], resolved: true }]);
    const removed = await api("DELETE", `${base}/comments/${own[0].id}`);
    const again = await api("DELETE", `${base}/comments/${own[0].id}`);
    expect([removed.status, again.status]).toEqual([204, 404]);

    expect((await send("GET", link)).body).toMatchObject({ comments: [{ at: 0.4, resolved: true }], approval });
    const listed = (await api("GET", `${base}/reviews`)).body.find((review: { id: string }) => review.id === id);
    expect(listed).toMatchObject({ approval, name: "Film" });
    expect(Object.keys(listed)).not.toContain("url");
  });

  test("shows replies of reviewers and of its owner below their comment, which takes them along", async () => {
    const { id, link } = await newLink();
    const { body: first } = await send("POST", `${link}/comments`, comment);
    await send("POST", `${link}/comments`, { ...comment, at: 0.1 });
    const reply = await send("POST", `${link}/comments`, { text: "Why?", author: "Max", replyTo: first.createdAt });
    expect(reply.body).toEqual({
      ...{ at: 0.4, text: "Why?", author: "Max", createdAt: expect.any(Number), resolved: false },
      replyTo: first.createdAt,
    });
    const own = (await api("GET", `${base}/comments`)).body.find(
      ({ reviewId, text }: { reviewId: string; text: string }) => reviewId === id && text === "Why?",
    );
    // a reply to a reply belongs to the same comment
    const answer = await api("POST", `${base}/comments/${own.id}/replies`, { text: "Done." });
    expect([answer.status, answer.body]).toMatchObject([200, { author: "Ann", at: 0.4, replyTo: first.createdAt }]);
    const { comments } = (await send("GET", link)).body;
    expect(comments.map((each: { text: string }) => each.text)).toEqual([comment.text, comment.text, "Why?", "Done."]);

    for (const wrong of [{ replyTo: 1 }, {}, { replyTo: first.createdAt, at: 0.4 }]) {
      expect((await send("POST", `${link}/comments`, { text: "x", author: "Max", ...wrong })).status).toBe(400);
    }
    const { body: all } = await api("GET", `${base}/comments`);
    const answered = all.find(
      (each: { reviewId: string; createdAt: number; at: number }) =>
        each.reviewId === id && each.createdAt === first.createdAt && each.at === 0.4,
    );
    await api("DELETE", `${base}/comments/${answered.id}`);
    expect((await send("GET", link)).body.comments.map(({ at }: { at: number }) => at)).toEqual([0.1]);
  });

  test("may be only for watching", async () => {
    const { link } = await newLink({ comment: false, approve: false });
    const refused = [
      await send("POST", `${link}/comments`, comment),
      await send("POST", `${link}/approval`, { state: "approved", author: "Eve" }),
    ];
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual([
      [403, "insufficient_scope"],
      [403, "insufficient_scope"],
    ]);
  });

  test("answers 404 when wrong or revoked, and 410 after its end", async () => {
    const [revoked, ended] = [await newLink(), await newLink()];
    await send("POST", `${revoked.link}/comments`, comment);
    const revocation = await api("DELETE", `${base}/reviews/${revoked.id}`);
    expect(revocation.status).toBe(204);
    await expire(ended.id);

    const answersOf = async (link: string) => [
      await send("GET", link),
      await send("GET", `${link}/file`),
      await send("POST", `${link}/comments`, comment),
      await send("POST", `${link}/approval`, { state: "approved", author: "Eve" }),
    ];
    const wrong = ["x", "a".repeat(64), "%00", "review_".padEnd(39, "0")].map((secret) => `/api/reviews/${secret}`);
    for (const link of [...wrong, revoked.link]) {
      for (const { status, body } of await answersOf(link)) expect([status, body.code]).toEqual([404, "not_found"]);
    }
    for (const { status, body } of await answersOf(ended.link))
      expect([status, body.code]).toEqual([410, "link_expired"]);

    const again = await api("DELETE", `${base}/reviews/${revoked.id}`);
    const { body: links } = await api("GET", `${base}/reviews`);
    expect([again.status, links.some(({ id }: { id: string }) => id === revoked.id)]).toEqual([404, false]);
    const { body: comments } = await api("GET", `${base}/comments`);
    expect(comments.map(({ reviewId }: { reviewId: string }) => reviewId)).toContain(revoked.id);
  });

  test("keeps its film while it lives, also without the export", async () => {
    const id = await finishedExport();
    const { id: reviewId, link } = await newLink({ exportId: id });
    const before = await summedStorage(service.db, ann.user.id);
    await api("DELETE", `/api/exports/${id}`);
    expect(await (await service.request(`${link}/file`)).text()).toBe("0123456789");
    expect(await service.services.storageUsage.read(ann.user.id)).toEqual(await summedStorage(service.db, ann.user.id));
    expect((await summedStorage(service.db, ann.user.id)).exports).toEqual(before.exports);

    await expire(reviewId);
    const keyOf = async () => {
      const { fileKey } = reviews;
      const [row] = await service.db.select({ fileKey }).from(reviews).where(eq(reviews.id, reviewId));
      return row!.fileKey;
    };
    const key = (await keyOf())!;
    const resources = {
      files: storesOnDisk ? await diskFiles(service.dataDir) : service.files,
      folderId: "folder",
      database: { db: service.db },
    };
    await runMaintenance(resources, service.services, (step, error) => expect([step, error]).toEqual([]));
    expect(await keyOf()).toBeNull();
    expect(await service.files.withLocalFile({ key }, (path) => Bun.file(path).exists()).catch(() => false)).toBe(
      false,
    );
    expect(await service.services.storageUsage.read(ann.user.id)).toEqual(await summedStorage(service.db, ann.user.id));
    expect((await send("GET", `${link}/file`)).status).toBe(410);
  });

  test("shows the target that it names", async () => {
    const id = await finishedExport({ targets: ["16:9", "1:1"] });
    const { link } = await newLink({ exportId: id, target: "1:1" });
    expect((await send("GET", link)).body).toMatchObject({ width: 36, height: 36, durationSeconds: 1 });
    const other = await api("POST", `${base}/reviews`, { exportId: id, target: "4:5" });
    expect([other.status, other.body.details]).toEqual([400, [expect.objectContaining({ path: "target" })]]);
  });

  test("shows several targets that it names, and ends with all of them", async () => {
    const exported = await finishedExport({ targets: ["16:9", "1:1"] });
    const { id, body, link } = await newLink({ exportId: exported, targets: ["1:1", "16:9"] });
    const formats = [
      { target: "1:1", width: 36, height: 36 },
      { target: "16:9", width: 64, height: 36 },
    ];
    expect(body).toMatchObject({ target: "1:1", formats });
    expect((await send("GET", link)).body).toMatchObject({ width: 36, formats });
    for (const [target, status] of [
      ["16:9", 200],
      ["1:1", 200],
      ["4:5", 404],
    ]) {
      expect([target, (await service.request(`${link}/file?target=${target}`)).status]).toEqual([target, status]);
    }
    const ofWork = () => service.db.$count(sql`reviews where export_id = ${exported}`);
    const listed = (await api("GET", `${base}/reviews`)).body.filter(
      (each: { exportId: string }) => each.exportId === exported,
    );
    expect([listed.length, await ofWork()]).toEqual([1, 2]);
    expect(await service.services.storageUsage.read(ann.user.id)).toEqual(await summedStorage(service.db, ann.user.id));
    await api("DELETE", `${base}/reviews/${id}`);
    expect(await ofWork()).toBe(0);
    for (const targets of [[], ["1:1", "1:1"], ["4:5"]]) {
      expect((await api("POST", `${base}/reviews`, { exportId: exported, targets })).status).toBe(400);
    }
  });

  test.each(["work", "project", "account"])("goes with its %s", async (removed) => {
    const user = await service.register("Carl");
    const own = await newFilm(user, folder);
    const id = await finishedExport({}, own, user);
    const { body } = await jsonClient(user)("POST", `${own.work.base}/reviews`, { exportId: id });
    const link = `/api/reviews/${body.url.split("/").at(-1)}`;
    await send("POST", `${link}/comments`, comment);
    expect((await send("GET", link)).body.comments).toHaveLength(1);

    const project = `/api/projects/${own.work.projectId}`;
    const { status } = await {
      work: () => user.request(own.work.base, { method: "DELETE" }),
      project: () => user.request(project, { method: "DELETE" }),
      account: () => user.json("DELETE", "/api/auth/me", { password }),
    }[removed as "work" | "project" | "account"]();
    expect([status, (await send("GET", link)).status, (await send("GET", `${link}/file`)).status]).toEqual([
      204, 404, 404,
    ]);
    expect(await service.db.$count(sql`review_comments where work_id = ${own.work.workId}`)).toBe(0);
  });
});

test("a link is made of a finished export of the same work, by its owner", async () => {
  const { id, rendering } = await startExport();
  const { body: other } = await api("POST", `/api/projects/${work.projectId}/works`, {});
  const otherBase = `/api/projects/${work.projectId}/works/${other.id}`;
  const reader = await jsonClientWithScopes(service, ann, ["works:read", "projects:read"]);
  const answers = [
    await api("POST", `${base}/reviews`, { exportId: id }),
    await api("POST", `${base}/reviews`, { exportId: "exp_1" }),
    await api("POST", `${otherBase}/reviews`, { exportId }),
    await jsonClient(bob)("POST", `${base}/reviews`, { exportId }),
    await reader("POST", `${base}/reviews`, { exportId }),
    await reader("GET", `${base}/comments`),
  ];
  await rendering.finish();
  expect(answers.map(({ status }) => status)).toEqual([409, 404, 404, 404, 403, 200]);
});

test.each([
  [{ expiresInDays: 0 }, "expiresInDays"],
  [{ expiresInDays: 91 }, "expiresInDays"],
  [{ expiresInDays: 1.5 }, "expiresInDays"],
  [{ comment: "yes" }, "comment"],
  [{ exportId: 7 }, "exportId"],
])("a link with %j is refused", async (fields, path) => {
  const { status, body } = await api("POST", `${base}/reviews`, { exportId, ...fields });
  expect([status, body.details[0].path]).toEqual([400, path]);
});

test.each<[string, object, string]>([
  ["before the film", { at: -1 }, "at"],
  ["after the film", { at: 1.01 }, "at"],
  ["without words", { text: " " }, "text"],
  ["with 2,001 characters", { text: "x".repeat(2001) }, "text"],
  ["with NUL", { text: "a\u0000b" }, ""],
  ["of a name with 81 characters", { author: "x".repeat(81) }, "author"],
])("a comment %s is refused", async (_, fields, path) => {
  const { link } = await newLink();
  const { status, body } = await send("POST", `${link}/comments`, { ...comment, ...fields });
  expect([status, body.code]).toEqual([400, "validation_error"]);
  if (path !== "") expect(body.details[0].path).toBe(path);
});

test("a link takes 500 comments, and a work 100 links at a time", async () => {
  const { id, link } = await newLink();
  await service.seeding.execute(sql`insert into review_comments select 'comment_' || lpad(to_hex(n), 32, '0'), ${work.workId},
    ${id}, 0, 'x', 'x', false, n from generate_series(1, 499) n`);
  const [last, refused] = [
    await send("POST", `${link}/comments`, comment),
    await send("POST", `${link}/comments`, comment),
  ];
  expect([last.status, refused.status, refused.body.details]).toEqual([
    200,
    409,
    { limit: "comments", used: 500, allowed: 500 },
  ]);
  await service.seeding.execute(sql`insert into reviews select (jsonb_populate_record(r, jsonb_build_object('id',
    'review_' || lpad(to_hex(n), 32, '0'), 'hash', n, 'file_key', null))).* from reviews r, generate_series(1, 100) n
    where r.id = ${id}`);
  const full = await api("POST", `${base}/reviews`, { exportId });
  expect([full.status, full.body.details.limit]).toEqual([409, "reviews"]);
  await service.db.execute(sql`delete from reviews where file_key is null`);
});

test("an address may add 20 comments in a minute", async () => {
  const { link } = await newLink();
  // requests of this test have no address of their own, and count as one
  await service.db.execute(sql`delete from rate_limits`);
  const statuses: number[] = [];
  for (let number = 0; number < 21; number++) statuses.push((await send("POST", `${link}/comments`, comment)).status);
  expect(statuses).toEqual([...Array<number>(20).fill(200), 429]);
  await service.db.execute(sql`delete from rate_limits`);
});

test("the log has no secret of a link, also of one that was mistyped", async () => {
  const { id, link } = await newLink();
  const secret = link.split("/").at(-1)!;
  lines.length = 0;
  for (const path of [
    link,
    `${link}/file`,
    `/api//reviews/${secret}`,
    `/api/reviews//${secret}`,
    `/studio/review/${secret}`,
    `/review/${secret}/`,
    `/api/%72eviews/${secret}`,
    `/studio/review%2F${secret}`,
    `/studio/review%252f${secret}`,
  ]) {
    await service.request(path);
  }
  await api("DELETE", `${base}/reviews/${id}`);
  expect(lines).toHaveLength(10);
  expect(lines.join("")).not.toContain(secret);
  expect(lines.at(-1)).toContain(id);
});
