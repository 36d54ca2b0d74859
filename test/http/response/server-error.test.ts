import { expect, test } from "bun:test";
import { pino } from "pino";
import { serverErrorHandler } from "../../../src/http/response/error-response.ts";

test("a file that disappears before it is sent is a 500, logged under the id of the response", async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const server = Bun.serve({
    port: 0,
    development: false,
    fetch: () => new Response(Bun.file("/nowhere/film.mp4").slice(0, 10).stream()),
    error: serverErrorHandler(log),
  });

  const response = await fetch(server.url);
  const { requestId, ...body } = await response.json();
  await server.stop(true);

  expect(response.status).toBe(500);
  expect(body).toEqual({ error: "Something broke on our side.", code: "internal" });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 50, requestId, error: { code: "ENOENT" } }]);
  expect(lines.join("")).not.toContain("nowhere");
});
