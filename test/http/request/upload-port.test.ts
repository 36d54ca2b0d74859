import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { type OwnService, type TestUser, testService } from "../../support/service.ts";
import { boundary, countAdded, formOf, listen, newProject, nothingAdded, wav } from "../../support/uploads.ts";

const maxUploadBytes = 100_000;

let service: OwnService;
let server: ReturnType<typeof listen>;
let ann: TestUser;
let path: string;

beforeAll(async () => {
  service = await testService({ MAX_UPLOAD_BYTES: `${maxUploadBytes}` });
  server = listen(service);
  ann = await service.register();
  path = `/api/projects/${await newProject(ann)}/assets`;
});

afterAll(async () => {
  server.stop();
  await service.close();
});

const addedBy = (action: () => Promise<unknown>) => countAdded(service, ann, path, action);

const send = (body: BodyInit, headers = {}) =>
  fetch(server.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${ann.accessToken}`, ...headers },
    body,
  });

test("a file over the limit is rejected, with or without Content-Length", async () => {
  const tooLarge = formOf({ file: new File([new Uint8Array(maxUploadBytes + 1)], "a.png") });
  const added = await addedBy(async () => {
    const declared = await send(tooLarge);
    expect([declared.status, (await declared.json()).code]).toEqual([413, "payload_too_large"]);

    const { body, headers } = new Request(server.url, { method: "POST", body: tooLarge });
    const chunked = await send(body!, { "content-type": headers.get("content-type")! });
    expect([chunked.status, (await chunked.json()).code]).toEqual([413, "payload_too_large"]);
  });
  expect(added).toEqual(nothingAdded);
});

test("a file of exactly the limit is accepted", async () => {
  const { size } = wav();
  const padding = new Uint8Array(maxUploadBytes - size);
  const response = await send(formOf({ file: new File([wav(), padding], "a.wav") }));

  expect(response.status).toBe(201);
  expect((await response.json()).size).toBe(maxUploadBytes);
});

test("an upload to another user's project gets 404 before its body arrives", async () => {
  const eve = await service.register("Eve");

  expect(await rawResponse(server.port, [...requestHead(eve), "Content-Length: 90000", "", ""])).toStartWith(
    "HTTP/1.1 404",
  );
});

test("a Content-Length over the limit is rejected before the body arrives", async () => {
  const response = await rawResponse(server.port, [...requestHead(ann), "Content-Length: 9000000", "", ""]);

  expect(response).toStartWith("HTTP/1.1 413");
});

test("an upload whose client disconnects leaves no file", async () => {
  const received = Promise.withResolvers<void>();
  const responded = Promise.withResolvers<number>();
  const fetch = async (request: Request, server: Bun.Server<undefined>) => {
    received.resolve();
    const response = await service.app.fetch(request, server);
    responded.resolve(response.status);
    return response;
  };
  const observed = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
  const added = await addedBy(async () => {
    const body = [
      `--${boundary}`,
      `Content-Disposition: form-data; name="file"; filename="a.png"`,
      "",
      "x".repeat(50_000),
    ];
    const socket = connect(observed.port!, "127.0.0.1");
    socket.write([...requestHead(ann), "Content-Length: 90000", "", ...body].join("\r\n"));
    await received.promise;
    socket.destroy();
    expect(await responded.promise).toBe(400);
  });
  await observed.stop(true);
  expect(added).toEqual(nothingAdded);
});

const requestHead = ({ accessToken }: TestUser) => [
  `POST ${path} HTTP/1.1`,
  "Host: x",
  `Authorization: Bearer ${accessToken}`,
  `Content-Type: multipart/form-data; boundary=${boundary}`,
];

/** The first bytes that the server sends to a request whose body never arrives. */
async function rawResponse(port: number, head: readonly string[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(head.join("\r\n"));
  const [data] = await once(socket, "data");
  socket.destroy();
  return String(data);
}
