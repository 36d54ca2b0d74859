import { expect, test } from "bun:test";
import { postmanCollection } from "../../scripts/postman/collection.ts";
import { buildDocument, published } from "../../src/http/document/build.ts";
import { namedOperations, tags } from "../../src/http/document/operations.ts";
import { sharedService } from "../support/service.ts";

const service = await sharedService();
const document = published(await buildDocument(service.app));
const collection = postmanCollection(document);
const items = collection.item.flatMap(({ item }) => item);

test("each operation is one request, in the folder of its tag", () => {
  const named = namedOperations(document);
  expect(items.map(({ id, request: { method, url } }) => `${id} ${method} /${url.path.join("/")}`).sort()).toEqual(
    named
      .map(({ operation, method, path }) => {
        const template = path.replaceAll(/\{(\w+)\}/g, ":$1");
        return `${operation.operationId} ${method.toUpperCase()} ${template}`;
      })
      .sort(),
  );
  expect(collection.item.map(({ name }) => name)).toEqual(Object.keys(tags));
});

test("paths, the address and the token are variables of the collection", () => {
  const names = new Set(collection.variable.map(({ key }) => key));
  const used = JSON.stringify([collection.auth, items.map(({ request }) => request.url)]).matchAll(/\{\{(\w+)\}\}/g);
  expect([...used].filter(([, name]) => !names.has(name!))).toEqual([]);
});

test("requests with a body have its recorded example, and logins keep their token", async () => {
  const login = items.find(({ id }) => id === "login")!;
  expect(login.request.auth).toEqual({ type: "noauth" });
  expect(login.event?.[0]?.script.exec.join()).toContain('"token"');
  const create = items.find(({ id }) => id === "createProject")!;
  const { mode, raw } = create.request.body as { readonly mode: string; readonly raw: string };
  const ann = await service.register();
  const created = await ann.json("POST", "/api/projects", JSON.parse(raw));
  expect([mode, created.status, create.response.length]).toEqual(["raw", 201, 1]);
  const upload = items.find(({ id }) => id === "uploadAsset")!;
  expect(upload.request.body).toMatchObject({ mode: "formdata" });
  expect(JSON.stringify(upload.request.body)).toContain('{"key":"file","type":"file","src":[]}');
});
