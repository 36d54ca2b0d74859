import { afterAll, expect, test } from "bun:test";
import { readStorageUsage } from "../../../src/storage/database/storage-usage.ts";
import { jsonInit, password, type TestService } from "../../support/service.ts";
import { summedStorage } from "../../support/summed-storage.ts";
import { archivedAccount } from "./archived-account.ts";
import { thereAndBack } from "./there-and-back.ts";

const { ann, account } = await archivedAccount();
const { away, home, expectEqual, close } = await thereAndBack();
afterAll(close);

/** Logs in with the old password. */
async function logIn({ request }: TestService) {
  const response = await request("/api/auth/login", jsonInit("POST", { email: ann.user.email, password }));
  const { accessToken } = await response.json();
  return (path: string, init?: RequestInit) =>
    request(path, { ...init, headers: { ...init?.headers, authorization: `Bearer ${accessToken}` } });
}

const bytesAt = async (asUser: Awaited<ReturnType<typeof logIn>>, path: string) => {
  const response = await asUser(path);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
};

test("an account moves to another database and store and back with equal rows and files", async () => {
  await expectEqual();
  const old = (path: string, init?: RequestInit) => Promise.resolve(ann.request(path, init));
  const { projectId, base, asset, exportId, film, token, image } = account;
  for (const service of [away, home]) {
    expect(await readStorageUsage(service.db, ann.user.id)).toEqual(await summedStorage(service.db, ann.user.id));
    const asUser = await logIn(service);
    for (const path of [`/api/projects/${projectId}`, base, `/api/projects/${projectId}/templates`, "/api/exports"]) {
      expect(await (await asUser(path)).json()).toEqual(await (await old(path)).json());
    }
    for (const path of [asset.url, asset.thumbnail, `${base}/media/scene/0/video`, `/api/exports/${exportId}/file`]) {
      expect((await bytesAt(asUser, path)).equals(await bytesAt(old, path))).toBe(true);
    }
    expect((await service.request(image.imageUrl)).status).toBe(200);
    const rendered = await asUser("/api/export", jsonInit("POST", film));
    expect(Buffer.from(await rendered.arrayBuffer()).equals(await bytesAt(old, `/api/exports/${exportId}/file`))).toBe(
      true,
    );
    const withToken = await service.request("/api/projects", { headers: { authorization: `Bearer ${token}` } });
    expect(withToken.status).toBe(200);
  }
});
