import { afterAll, beforeEach, expect, test } from "bun:test";
import type { RefreshToken, RefreshTokenStore } from "../../../src/domain/accounts/sessions.ts";
import { refreshTokenStore } from "../../../src/storage/accounts/refresh-tokens.ts";
import { userStore } from "../../../src/storage/accounts/users.ts";
import { assetStore } from "../../../src/storage/assets/store.ts";
import { projectStore } from "../../../src/storage/projects/store.ts";
import { refreshTokens } from "../../../src/storage/tables/accounts.ts";
import { freshDatabase } from "../../support/database.ts";
import { addAsset, addUser, aProject, aUser } from "../samples.ts";

const database = await freshDatabase();
let userId: string;
let count = 0;

beforeEach(async () => {
  userId = (await addUser(database.db)).id;
  count += 1;
});
afterAll(() => database.close());

const aToken = (name: string, family = "family", expiresAt = 1_000) => ({
  hash: `${name} ${count}`,
  familyId: `${family} ${count}`,
  userId,
  expiresAt,
  createdAt: 10,
});

/** Opens a session with a token. */
const open = (store: RefreshTokenStore, token: RefreshToken, expiresAt = token.expiresAt) => {
  const times = { createdAt: token.createdAt, lastUsedAt: token.createdAt, expiresAt };
  return store.open({ id: token.familyId, userId: token.userId, userAgent: null, ...times }, token, "hash");
};

test("one of ten concurrent registrations of an e-mail address succeeds", async () => {
  const users = userStore(database.db);
  const email = "ann@example.com";

  const added = await Promise.all(Array.from({ length: 10 }, () => users.add(aUser({ email }))));

  const [winner, ...others] = added.filter((user) => user !== undefined);
  expect(others).toEqual([]);
  expect(winner).not.toHaveProperty("passwordHash");
  expect(await users.findByEmail(email)).toEqual({ ...winner!, passwordHash: "hash" });
  expect(await users.find(winner!.id)).toEqual(winner!);
  expect(await users.findByEmail("bob@example.com")).toBeUndefined();
});

test("one of twenty concurrent uses of a refresh token is the first", async () => {
  const store = refreshTokenStore(database.db);
  const token = aToken("a");
  await open(store, token);

  const uses = await Promise.all(Array.from({ length: 20 }, (_, index) => store.markUsed(token.hash, 100 + index)));

  const firsts = uses.filter((used) => used?.use === "first");
  expect(firsts).toEqual([{ token, use: "first" }]);
  const repeats = uses.flatMap((used) => (typeof used?.use === "object" ? [used.use.firstUsedAt] : []));
  expect(repeats).toHaveLength(19);
  expect(new Set(repeats).size).toBe(1);
});

const unbounded = { since: 0, most: Number.MAX_SAFE_INTEGER };

test("expired and unknown refresh tokens are not found", async () => {
  const store = refreshTokenStore(database.db);
  const token = aToken("a");
  await open(store, token);

  expect(await store.markUsed(token.hash, token.expiresAt)).toBeUndefined();
  expect(await store.markUsed("never seen", 100)).toBeUndefined();
});

test("revoking a family revokes its used and unused tokens, and takes no later ones", async () => {
  const store = refreshTokenStore(database.db);
  const used = aToken("used");
  const unused = aToken("unused");
  const late = aToken("late");
  const stranger = aToken("b", "other");
  for (const token of [used, stranger]) await open(store, token);
  expect(await store.add(unused, unused.expiresAt, unbounded)).toBe(true);
  await store.markUsed(used.hash, 100);

  await store.revokeFamily(used.familyId, 200);
  expect(await store.add(late, late.expiresAt, unbounded)).toBe(false);

  for (const token of [used, unused, late]) expect(await store.markUsed(token.hash, 300)).toBeUndefined();
  expect(await store.markUsed(stranger.hash, 300)).toMatchObject({ use: "first" });
});

test("revokeByHash revokes the family of any of its tokens, and nothing for an unknown hash", async () => {
  const store = refreshTokenStore(database.db);
  const used = aToken("used");
  const next = aToken("next");
  await open(store, used);
  await store.add(next, next.expiresAt, unbounded);
  await store.markUsed(used.hash, 100);

  await store.revokeByHash("never seen", 200);
  expect(await store.markUsed(used.hash, 210)).toMatchObject({ use: { firstUsedAt: 100 } });

  await store.revokeByHash(used.hash, 220);
  expect(await store.markUsed(next.hash, 230)).toBeUndefined();
});

test("removeExpired deletes used tokens that expired, and families with all their tokens", async () => {
  const store = refreshTokenStore(database.db);
  const used = aToken("used", "family", 500);
  const unused = aToken("unused", "family", 600);
  const lonely = aToken("lonely", "other", 700);
  await open(store, used);
  await store.add(unused, 2_000, unbounded);
  await open(store, lonely, 800);
  await store.markUsed(used.hash, 100);

  await store.removeExpired(1_000);

  const hashes = (await database.db.select({ hash: refreshTokens.hash }).from(refreshTokens)).map(({ hash }) => hash);
  expect(hashes).not.toContain(used.hash);
  expect(hashes).toContain(unused.hash);
  expect(hashes).not.toContain(lonely.hash);
});

test("a user is logged in until the session is revoked or removed", async () => {
  const users = userStore(database.db);
  const store = refreshTokenStore(database.db);
  const [kept, revoked, expired] = [aToken("a", "kept"), aToken("b", "revoked"), aToken("c", "expired")];
  for (const token of [kept, revoked]) await open(store, token, 5_000);
  await open(store, expired, 2_000);
  const isLoggedIn = async ({ familyId: sessionId }: RefreshToken, id = userId) =>
    (await users.findLoggedIn({ userId: id, sessionId }))?.id === id;
  expect(await Promise.all([kept, revoked, expired].map((token) => isLoggedIn(token)))).toEqual([true, true, true]);

  await store.revokeFamily(revoked.familyId, 100);
  await store.removeExpired(3_000);

  expect(await Promise.all([kept, revoked, expired].map((token) => isLoggedIn(token)))).toEqual([true, false, false]);
  const { id: stranger } = await addUser(database.db);
  expect(await isLoggedIn(kept, stranger)).toBe(false);
});

test("the user of a session is found with an asset of that user, and without one of another user or project", async () => {
  const assets = assetStore(database.db);
  const projects = projectStore(database.db);
  const token = aToken("a");
  await open(refreshTokenStore(database.db), token, 5_000);
  const session = { userId, sessionId: token.familyId };
  const { id: stranger } = await addUser(database.db);
  const [own, other, foreign] = [aProject(userId), aProject(userId), aProject(stranger)];
  for (const project of [own, other, foreign]) await projects.add(project);
  const [asset, strange] = [await addAsset(database.db, own.id), await addAsset(database.db, foreign.id)];
  const find = async (projectId: string, assetId: string) => [
    await assets.findForSession(session, { projectId, assetId }),
    await assets.findOfUser(userId, { projectId, assetId }),
  ];

  const user = expect.objectContaining({ id: userId });
  expect(await find(own.id, asset.id)).toEqual([{ user, asset }, asset]);
  expect(await find(other.id, asset.id)).toEqual([{ user }, undefined]);
  expect(await find(foreign.id, strange.id)).toEqual([{ user }, undefined]);

  await refreshTokenStore(database.db).revokeFamily(token.familyId, 100);
  expect(await find(own.id, asset.id)).toEqual([undefined, asset]);
});
