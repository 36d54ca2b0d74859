import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { openDatabase } from "../../../src/storage/database/database.ts";
import { freezableProxy } from "../../storage/freezable-proxy.ts";
import { preparedServerDatabase, serverUrl } from "../../support/database.ts";
import { eventsOf } from "../../support/events.ts";
import { jsonClient } from "../../support/json-client.ts";
import { controlledRenderer } from "../../support/media/controlled-renderer.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { testService } from "../../support/service.ts";
import { newFilm } from "../../support/work-videos.ts";

const timings = { connectMs: 5_000, queryMs: 3_000, probeEveryMs: 100, probeMs: 500 };

test.if(!!serverUrl)("exports and their events end although the database was replaced meanwhile", async () => {
  const { databaseUrl, drop } = await preparedServerDatabase(serverUrl!);
  const proxy = await freezableProxy(databaseUrl);
  const open = () => openDatabase({ databaseUrl: proxy.databaseUrl, dataDir: "unused", timings });
  const { renderer, next: nextRendering } = controlledRenderer();
  const service = await testService({}, undefined, (services) => ({ renderer: renderer(services) }), undefined, open);
  const folder = await temporaryFolder();
  const ann = await service.register("Ann");
  const api = jsonClient(ann);
  const { request } = await newFilm(ann, folder);

  const started = nextRendering();
  const { body: running } = await api("POST", "/api/exports", request);
  const { finish } = await started;
  const events = eventsOf(await ann.request(`/api/exports/${running.id}/events`));
  await events.next();

  const endOf = async (stream: typeof events) => (await Array.fromAsync(stream)).at(-1)?.event;

  proxy.freezeOpen();
  const next = nextRendering();
  // the first request may meet a connection that the server has forgotten
  const responses = [await api("POST", "/api/exports", request), await api("POST", "/api/exports", request)];
  expect(responses[1]?.status).toBe(202);
  await finish();
  expect(await endOf(events)).toBe("done");

  await (await next).finish();
  const queued = responses.find(({ status }) => status === 202);
  expect(await endOf(eventsOf(await ann.request(`/api/exports/${queued?.body.id}/events`)))).toBe("done");

  await service.close();
  proxy.close();
  await drop();
  await rm(folder, { recursive: true, force: true });
});
