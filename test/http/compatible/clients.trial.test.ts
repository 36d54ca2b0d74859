import { afterAll, expect, test } from "bun:test";
import { testService } from "../../support/service.ts";
import { listen } from "../../support/uploads.ts";

const service = await testService({ COMPATIBLE_APIS: "shotstack,creatomate" });
const server = listen(service);
afterAll(async () => {
  await server.stop();
  await service.close();
});
const ann = await service.register("Ann");
const { token: secret } = await (
  await ann.json("POST", "/api/tokens", {
    name: "Renders",
    scopes: ["projects:read", "projects:write", "works:read", "works:write"],
  })
).json();

test("the package creatomate renders to a finished file", async () => {
  const Creatomate = require("creatomate");
  const client = new Creatomate.Client(secret);
  client.httpClient.defaults.baseURL = `${server.url}/v1`;
  const source = new Creatomate.Source({
    ...{ outputFormat: "mp4", width: 64, height: 36, frameRate: 10, duration: 0.5 },
    elements: [
      new Creatomate.Rectangle({ fillColor: "#5d3bd1" }),
      new Creatomate.Text({
        text: "Hello",
        fontSize: 12,
        fillColor: "#ffffff",
        enter: new Creatomate.Fade({ duration: 0.2 }),
      }),
    ],
  });
  const [render] = await client.render({ source });
  expect(render).toMatchObject({ status: "succeeded", outputFormat: "mp4", width: 64 });
  const file = await fetch(render.url, { headers: { authorization: `Bearer ${secret}` } });
  expect([file.status, file.headers.get("content-type")]).toEqual([200, "video/mp4"]);
  await expect(new Creatomate.Client("rw_wrong").startRender({ source })).rejects.toThrow();
});

test("the package shotstack-sdk renders to a finished file", async () => {
  const Shotstack = require("shotstack-sdk");
  const { instance } = Shotstack.ApiClient;
  instance.basePath = `${server.url}/edit/v1`;
  instance.authentications.DeveloperKey.apiKey = secret;
  const api = new Shotstack.EditApi();
  const asset = new Shotstack.HtmlAsset();
  asset.setHtml("<p>Hello</p>").setCss("p { color: #ffffff; font-size: 12px }").setWidth(60).setHeight(30);
  const clip = new Shotstack.Clip();
  clip.setAsset(asset).setStart(0).setLength(0.5);
  const track = new Shotstack.Track();
  track.setClips([clip]);
  const timeline = new Shotstack.Timeline();
  timeline.setBackground("#000000").setTracks([track]);
  const size = new Shotstack.Size();
  size.setWidth(64).setHeight(36);
  const output = new Shotstack.Output();
  output.setFormat("mp4").setFps(12).setSize(size);
  const edit = new Shotstack.Edit();
  edit.setTimeline(timeline).setOutput(output);
  const { response: begun } = await api.postRender(edit);
  let state = (await api.getRender(begun.id, { data: false, merged: true })).response;
  while (!["done", "failed"].includes(state.status)) {
    state = (await api.getRender(begun.id, { data: false, merged: true })).response;
  }
  expect(state).toMatchObject({ id: begun.id, status: "done" });
  const file = await fetch(state.url, { headers: { authorization: `Bearer ${secret}` } });
  expect(file.status).toBe(200);
});
