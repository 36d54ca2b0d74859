import { expect, test } from "bun:test";
import { connect } from "../src/client.ts";
import { password, sharedService } from "./support/service.ts";

const service = await sharedService();
const { accessToken } = await service.register("Ann");
const ann = connect("http://localhost", { token: accessToken, fetch: service.request });

test("paths, bodies and responses are typed by the routes", async () => {
  const made = await ann.api.projects.$post({ json: { name: "Launch film" } });
  if (!made.ok) throw new Error((await made.json()).error);
  const { id: projectId, name } = await made.json();
  expect(name).toBe("Launch film");

  const work = await ann.api.projects[":projectId"].works.$post({ param: { projectId }, json: {} });
  if (!work.ok) throw new Error((await work.json()).error);
  expect(await work.json()).toMatchObject({ projectId, name: "New Work" });
});

test("an error response has typed code and details", async () => {
  const refused = await ann.api.projects.$post({ json: { name: "" } });

  expect(refused.ok).toBe(false);
  if (refused.ok) return;
  const { code, details } = await refused.json();
  expect(code).toBe("validation_error");
  if (!Array.isArray(details)) throw new Error("A validation error has a list of details.");
  expect(details.map(({ path }) => path)).toEqual(["name"]);
});

test("without a token only the open routes can be called", async () => {
  const nobody = connect("http://localhost", { fetch: service.request });

  const registered = await nobody.api.auth.register.$post({
    json: { email: "new@example.com", password, name: "New" },
  });
  expect(registered.status).toBe(201);

  const refused = await nobody.api.auth.me.$get();
  expect(refused.status).toBe(401);
});

test("a file is uploaded as a form and downloaded as bytes", async () => {
  const made = await ann.api.projects.$post({ json: { name: "Files" } });
  if (!made.ok) throw new Error((await made.json()).error);
  const { id: projectId } = await made.json();
  const pixel = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );

  const assets = ann.api.projects[":projectId"].assets;
  const sent = await assets.$post({ param: { projectId }, form: { file: new File([pixel], "pixel.png") } });
  if (!sent.ok) throw new Error((await sent.json()).error);
  const { id: assetId, width } = await sent.json();
  expect(width).toBe(1);

  const got = await assets[":assetId"].$get({ param: { projectId, assetId } });
  expect(Buffer.from(await got.arrayBuffer())).toEqual(pixel);
});

test("the module needs no development dependency, so that projects can import this repository", async () => {
  const folder = `${import.meta.dir}/../client/src`;
  const files = [...new Bun.Glob("*.ts").scanSync(folder)];
  const sources = await Promise.all(files.map((file) => Bun.file(`${folder}/${file}`).text()));
  const imports = sources.flatMap((source) => new Bun.Transpiler({ loader: "ts" }).scanImports(source));
  const packages = imports.map(({ path }) => path).filter((path) => !/^(\.|node:)/.test(path));
  const { dependencies } = await Bun.file(`${import.meta.dir}/../package.json`).json();
  expect(packages).toContain("eventsource-parser/stream");
  expect(packages.filter((path) => !(path.split("/")[0]! in dependencies))).toEqual([]);
});
