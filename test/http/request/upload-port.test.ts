import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { type TestService, type TestUser, testService } from "../../helpers/service.ts";
import { boundary, formOf, leftIn, listen, newProject, nothing, wav } from "../../helpers/uploads.ts";

const maxUploadBytes = 100_000;

let service: TestService;
let server: ReturnType<typeof listen>;
let ann: TestUser;
let path: string;

beforeAll(async () => {
  service = await testService({ MAX_UPLOAD_BYTES: `${maxUploadBytes}` });
  server = listen(service);
  ann = await service.register();
  path = `/api/projects/${await newProject(ann)}/assets`;
}, 60_000);

afterAll(async () => {
  server.stop();
  await service.close();
});

const leftBy = (action: () => Promise<unknown>) => leftIn(service, ann, path, action);

const send = (body: BodyInit, headers = {}) =>
  fetch(server.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${ann.accessToken}`, ...headers },
    body,
  });

test("a file over the limit is refused, whether its length was told or not", async () => {
  const tooLarge = formOf({ file: new File([new Uint8Array(maxUploadBytes + 1)], "a.png") });
  const left = await leftBy(async () => {
    const told = await send(tooLarge);
    expect([told.status, (await told.json()).code]).toEqual([413, "payload_too_large"]);

    const { body, headers } = new Request(server.url, { method: "POST", body: tooLarge });
    const untold = await send(body!, { "content-type": headers.get("content-type")! });
    expect([untold.status, (await untold.json()).code]).toEqual([413, "payload_too_large"]);
  });
  expect(left).toEqual(nothing);
});

test("a file of exactly the limit is taken", async () => {
  const { size } = wav();
  const padding = new Uint8Array(maxUploadBytes - size);
  const response = await send(formOf({ file: new File([wav(), padding], "a.wav") }));

  expect(response.status).toBe(201);
  expect((await response.json()).size).toBe(maxUploadBytes);
});

test("a stranger's upload is answered before its body has come", async () => {
  const eve = await service.register("Eve");

  expect(await answerTo(server.port, [...requestHead(eve), "Content-Length: 90000", "", ""])).toStartWith(
    "HTTP/1.1 404",
  );
});

test("a length over the limit is refused before any byte has come", async () => {
  const answer = await answerTo(server.port, [...requestHead(ann), "Content-Length: 9000000", "", ""]);

  expect(answer).toStartWith("HTTP/1.1 413");
});

test("a client that goes away in the middle leaves nothing", async () => {
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<number>()];
  const fetch = async (request: Request, server: Bun.Server<undefined>) => {
    asked.resolve();
    const response = await service.app.fetch(request, server);
    answered.resolve(response.status);
    return response;
  };
  const watched = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
  const left = await leftBy(async () => {
    const body = [
      `--${boundary}`,
      `Content-Disposition: form-data; name="file"; filename="a.png"`,
      "",
      "x".repeat(50_000),
    ];
    const socket = connect(watched.port!, "127.0.0.1");
    socket.write([...requestHead(ann), "Content-Length: 90000", "", ...body].join("\r\n"));
    await asked.promise;
    socket.destroy();
    expect(await answered.promise).toBe(400);
  });
  await watched.stop(true);
  expect(left).toEqual(nothing);
});

const requestHead = ({ accessToken }: TestUser) => [
  `POST ${path} HTTP/1.1`,
  "Host: x",
  `Authorization: Bearer ${accessToken}`,
  `Content-Type: multipart/form-data; boundary=${boundary}`,
];

/** What the server says to a request whose body never comes. */
async function answerTo(port: number, head: readonly string[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(head.join("\r\n"));
  const [answer] = await once(socket, "data");
  socket.destroy();
  return String(answer);
}
