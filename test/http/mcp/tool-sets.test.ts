import { expect, test } from "bun:test";
import { sharedService } from "../../support/service.ts";

type Listed = { readonly name: string; readonly inputSchema: object; readonly outputSchema?: { properties?: object } };

const service = await sharedService();
const ann = await service.register();

const send = (address: string, method: string, params: object = {}) =>
  ann.request(address, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
const result = async (response: Response) => {
  const [json = ""] = /\{.*\}/s.exec(await response.text()) ?? [];
  return JSON.parse(json).result;
};
const list = async (query = ""): Promise<readonly Listed[]> =>
  (await result(await send(`/mcp${query}`, "tools/list"))).tools;

test("all tools are listed in 120 KB, and those of named sets with the fields of their results", async () => {
  const all = await list();
  expect(JSON.stringify(all).length).toBeLessThan(120_000);
  const films = await list("?tools=films,projects");
  expect(new Set(films.map(({ name }) => name.split("_")[0]))).toEqual(
    new Set(["projects", "film", "prices", "spend", "budget"]),
  );
  const arguments_ = new Map(all.map(({ name, inputSchema }) => [name, inputSchema]));
  for (const { name, inputSchema, outputSchema } of films) {
    expect([name, inputSchema]).toEqual([name, arguments_.get(name)!]);
    expect([name, outputSchema?.properties]).toEqual([name, expect.any(Object)]);
  }
});

test("a set that is none is refused by its name, and a tool of another set can be called", async () => {
  const refused = await send("/mcp?tools=film", "tools/list");
  expect([refused.status, (await refused.json()).details[0].path]).toEqual([400, "tools"]);
  const call = await send("/mcp?tools=films", "tools/call", { name: "works_list", arguments: { projectId: "x" } });
  expect((await result(call)).content[0].text).toStartWith("not_found");
});
