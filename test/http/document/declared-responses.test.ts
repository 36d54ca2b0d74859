import { expect, test } from "bun:test";
import { checkResponses, takeUndeclared } from "../../support/declared-responses.ts";
import { sharedService } from "../../support/service.ts";

const service = await sharedService();
const ann = await service.register();

/** What the check says when the app answers this instead of its own response. */
async function findings(answer: (own: Response) => Response | Promise<Response>, path = "/api/projects") {
  const { app } = service;
  const { fetch } = app;
  app.fetch = async (request, ...rest) => answer(await fetch(request, ...rest));
  try {
    await checkResponses(app);
    await ann.request(path);
  } finally {
    app.fetch = fetch;
  }
  return takeUndeclared();
}

const withHeaders = (headers: Record<string, string>) => (own: Response) =>
  new Response(own.body, { status: own.status, headers: { ...Object.fromEntries(own.headers), ...headers } });

test("a declared response is accepted", async () => {
  expect(await findings((own) => own)).toEqual([]);
  expect(await findings((own) => own, "/api/projects/proj_none")).toEqual([]);
});

const user = { id: "user_1", email: "a@example.com", name: "Ann", createdAt: 1, updatedAt: 1 };

test.each<[string, (own: Response) => Response, string]>([
  ["a status", () => Response.json([], { status: 201 }), "has this status"],
  ["a type", () => new Response("[]", { headers: { "content-type": "text/plain" } }), "has the type text/plain"],
  ["a header", withHeaders({ location: "/" }), "has the header Location"],
  ["another field", () => Response.json({ ...user, passwordHash: "x" }), "must NOT have additional properties"],
  ["a missing field", () => Response.json({ ...user, email: undefined }), "must have required property 'email'"],
  ["a wrong type", () => Response.json({ ...user, createdAt: "1" }), "must be integer"],
  [
    "an error code",
    () =>
      Response.json(
        { error: "No", code: "email_taken", requestId: "1" },
        { status: 401, headers: { "www-authenticate": "Bearer" } },
      ),
    "must be equal to constant",
  ],
])("%s that is not declared is found", async (_, answer, problem) => {
  const [found, ...more] = await findings(answer, "/api/auth/me");
  expect(found).toStartWith("GET /api/auth/me ");
  expect(found).toContain(problem);
  expect(more).toEqual([]);
});
