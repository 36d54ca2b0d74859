import { execa } from "execa";
import { registerOn, type TestUser } from "../support/service.ts";
import { newProject } from "../support/uploads.ts";
import { newFilm, requireJson } from "../support/work-videos.ts";

/** A user sends at most 6,000 requests a minute. */
const users = 100;
const usersWithLists = 12;
const listLength = 100;
const listenersPerUser = 50;
const soundSeconds = 120;
const rangeBytes = 1024 * 1024;

const register = (url: string) => registerOn((path, init) => fetch(`${url}${path}`, init), "Ann");

/** A whole HTTP message; `rest` are further headers and the body. */
const message = (user: TestUser, line: string, rest = "\r\n") =>
  `${line} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${user.accessToken}\r\n${rest}`;

/** Creates users with projects and with a file of 23 MB, which stays at `sound`. Returns requests of theirs. */
export async function createRequests(url: string, ffmpeg: string, sound: string) {
  const reads: string[] = [];
  const writes: string[] = [];
  const lists: string[] = [];
  const ranges: string[] = [];
  const body = JSON.stringify({ name: "A film" });
  const bodyHeaders = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  for (let index = 0; index < users; index++) {
    const user = await register(url);
    reads.push(message(user, `GET /api/projects/${await newProject(user)}`));
    writes.push(message(user, "POST /api/projects", bodyHeaders + body));
  }
  await drawSound(ffmpeg, sound);
  for (let index = 0; index < usersWithLists; index++) {
    const user = await register(url);
    const assets = `/api/projects/${await newProject(user)}/assets`;
    for (let count = 1; count < listLength; count++) await newProject(user);
    lists.push(message(user, "GET /api/projects"));

    const form = new FormData();
    form.append("file", Bun.file(sound), "sound.wav");
    const { id } = await requireJson(user.request(assets, { method: "POST", body: form }));
    const range = `Range: bytes=${index * rangeBytes}-${(index + 1) * rangeBytes - 1}\r\n\r\n`;
    ranges.push(message(user, `GET ${assets}/${id}`, range));
  }
  return { reads, writes, lists, ranges };
}

const drawSound = (ffmpeg: string, path: string) =>
  execa(ffmpeg, [
    "-v",
    "error",
    "-f",
    "lavfi",
    "-i",
    "sine=sample_rate=48000",
    "-ac",
    "2",
    "-t",
    `${soundSeconds}`,
    path,
  ]);

/** Opens streams of events of exports that are queued; resolves when each has sent its first event. */
export async function openListeners(url: string, count: number, folder: string): Promise<() => void> {
  const closed = new AbortController();
  for (let opened = 0; opened < count; opened += listenersPerUser) {
    const user = await register(url);
    const { request } = await newFilm(user, folder);
    const { id } = await requireJson(user.json("POST", "/api/exports", request));
    const open = async () => {
      const response = await user.request(`/api/exports/${id}/events`, { signal: closed.signal });
      await response.body?.getReader().read();
    };
    await Promise.all(Array.from({ length: listenersPerUser }, open));
  }
  return () => closed.abort();
}
