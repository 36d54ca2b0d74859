import { afterAll, afterEach, expect, spyOn, test } from "bun:test";
import { sql } from "drizzle-orm";
import { jsonBody } from "../../support/models/fake-server.ts";
import { openaiResponse, scenarioOutput } from "../../support/models/text-responses.ts";
import { allPaid, filmKeys, type Json, paidFilms } from "../../support/paid-films.ts";

const films = await paidFilms();
const { provider, service } = films;
afterAll(films.close);
afterEach(provider.reset);

const imagesOnly = { models: { llm: { provider: "openai" }, image: { provider: "openai" }, video: false } };
const stepsOf = (film: Json) => Object.fromEntries(film.steps.map((step: Json) => [step.id, step]));

test("of six scenes the refused one alone is missing, and a retry with other words pays for it once and adds it to an edited work", async () => {
  const ann = await films.register();
  const [first] = scenarioOutput.scenes;
  const scenes = Array.from({ length: 6 }, (_, scene_index) => ({
    ...{ ...first!, scene_index, duration_seconds: 1, image_prompt: scene_index === 3 ? "A broken cup" : "A cup" },
  }));
  provider.answer = (kind, _, request) => {
    if (kind === "scenario") return openaiResponse({ text: JSON.stringify({ scenes }) });
    const isRefused = jsonBody(request).prompt.includes("A broken cup");
    return isRefused ? Response.json({ error: { code: "moderation_blocked" } }, { status: 400 }) : undefined;
  };
  const before = films.counts().image;
  const { path, film } = await films.order(ann, { ...imagesOnly, scenes: 6, seconds: 6, fresh: true, music: false });
  const waiting = await films.rested(ann, path);
  expect(waiting).toMatchObject({ status: "waiting", waitingFor: "step", spent: { amount: "0.250047" } });
  expect(waiting.waitingReason).toMatch(/^The step scene-3-image is not made\. .*Retry it/s);
  const images = waiting.steps.filter(({ kind }: Json) => kind === "image");
  expect(images.map(({ status, attempts }: Json) => [status, attempts.length])).toEqual(
    [0, 1, 2, 3, 4, 5].map((scene) => [scene === 3 ? "error" : "done", 1]),
  );
  expect(films.counts().image - before).toBe(6);

  // made without it, edited, and made with it after all
  expect((await ann.json("POST", `${path}/approve`, { step: "scene-3-image" })).status).toBe(200);
  expect(await films.rested(ann, path)).toMatchObject({ status: "done", spent: { amount: "0.250047" } });
  const workPath = `/api/projects/${film.projectId}/works/${film.workId}`;
  const shown = async () => (await (await ann.request(workPath)).json()).editorState.editorData.videoTrack;
  const [opening, ...others] = await shown();
  const videoTrack = [
    { ...opening, end: 0.5 },
    ...others.map((clip: Json) => ({ ...clip, start: clip.start - 0.5, end: clip.end - 0.5 })),
  ];
  expect((await ann.json("PUT", workPath, { editorState: { editorData: { videoTrack } } })).status).toBe(200);

  expect((await ann.json("POST", `${path}/steps/scene-3-image/retry`, { prompt: "A cup on snow" })).status).toBe(200);
  // its keys were erased at its end
  expect(await films.rested(ann, path)).toMatchObject({ waitingFor: "key" });
  expect((await ann.json("POST", `${path}/keys`, undefined, filmKeys)).status).toBe(200);
  expect(await films.rested(ann, path)).toMatchObject({ status: "done", spent: { amount: "0.300047" } });
  expect(films.counts().image - before).toBe(7);
  const track = await shown();
  expect(track.map(({ sceneIndex, end }: Json) => [sceneIndex, end])).toEqual(
    [0, 1, 2, 3, 4, 5].map((at) => [at, at + 0.5]),
  );
});

test("an answer that was paid for and whose file is lost here waits for its owner, who alone pays for it again", async () => {
  const ann = await films.register();
  const { models, music } = allPaid("");
  const order = { models, music, references: false, stopAt: ["scenario"], fresh: true };
  const { path, film } = await films.order(ann, order);
  await films.rested(ann, path);
  const lost = `${ann.user.id}/media_lost`;
  const kept = {
    "scene-0-image": { image: { state: "job", id: lost } },
    "scene-1-voice": { "voice/1/0": { state: "done", result: lost } },
    "scene-2-voice": { "voice/2/0": { state: "done", result: "" } },
    music: { music: { state: "job", id: lost } },
  };
  for (const [id, checkpoints] of Object.entries(kept)) {
    await service.db.execute(sql`update film_steps set checkpoints = ${JSON.stringify(checkpoints)}::json
      where film_id = ${film.id} and id = ${id}`);
  }
  const before = films.counts();
  await ann.json("POST", `${path}/approve`);
  const waiting = await films.rested(ann, path);
  expect(waiting).toMatchObject({ status: "waiting", waitingFor: "step" });
  expect(waiting.waitingReason).toContain("what it made in an earlier try is lost here");
  const failed = waiting.steps.filter(({ status }: Json) => status === "error");
  expect(failed.map(({ id }: Json) => id).toSorted()).toEqual(Object.keys(kept).toSorted());
  for (const { attempts } of failed) expect(attempts).toMatchObject([{ state: "error", cost: "0.00" }]);
  const counted = () => {
    const { image, voice, music, video } = films.counts();
    return [image - before.image, voice - before.voice, music - before.music, video - before.video];
  };
  expect(counted()).toEqual([2, 1, 0, 0]);

  for (const { id } of failed) expect((await ann.json("POST", `${path}/steps/${id}/retry`)).status).toBe(200);
  expect(await films.rested(ann, path)).toMatchObject({ status: "done" });
  expect(counted()).toEqual([3, 3, 1, 3]);
});

test("a film whose drawn picture is lost says which one, and goes on once that is made again", async () => {
  const ann = await films.register();
  const { projectId, assetId } = await films.withPicture(ann);
  const order = { ...allPaid(assetId), stopAt: ["images"], fresh: true };
  const { path, film } = await films.order(ann, order, projectId);
  await films.rested(ann, path);
  const media = await service.services.workMedia.find(film.workId, "scene/1/image");
  await service.files.remove([media!.file.key]);
  await ann.json("POST", `${path}/steps/scene-1-match/retry`);
  const lost = "The picture of scene 1, which has to be made again first, does not exist";
  expect(await films.rested(ann, path)).toMatchObject({ waitingFor: "approval" });
  await ann.json("POST", `${path}/approve`);
  expect((await films.rested(ann, path)).waitingReason).toContain(`scene-1-video is not made. ${lost}`);
  await ann.json("POST", `${path}/steps/scene-1-image/retry`);
  expect(await films.rested(ann, path)).toMatchObject({ status: "done" });
});

const withVideos = {
  models: { llm: { provider: "openai" }, image: { provider: "openai" }, video: { provider: "google" } },
};

test("clips that were made and are not served are waited for, and unknown once the provider has not had them for an hour", async () => {
  const ann = await films.register();
  const before = films.counts().video;
  const content = [{ type: "video", uri: `${provider.settingsFor().GOOGLE_BASE_URL}/files/gone` }];
  const ended = { id: "v1_job", status: "completed", steps: [{ type: "model_output", content }] };
  provider.poll = async () => Response.json(ended);
  const { path, film } = await films.order(ann, { ...withVideos, fresh: true });
  expect(await films.rested(ann, path)).toMatchObject({ status: "waiting", waitingFor: "provider" });
  await films.poll(film.id).catch(() => {});
  const waiting = await films.rested(ann, path);
  expect(waiting.waitingReason).toContain("did not serve the generated video");
  const now = Date.now();
  {
    using _ = spyOn(Date, "now").mockImplementation(() => now + 61 * 60_000);
    await films.poll(film.id);
  }
  const unknown = await films.rested(ann, path);
  expect(unknown).toMatchObject({ status: "waiting", waitingFor: "step" });
  expect(unknown.waitingReason).toContain("It is unknown whether the provider was paid for it.");
  const clips = unknown.steps.filter(({ kind }: Json) => kind === "video");
  expect(clips.map(({ status, attempts }: Json) => [status, attempts.length])).toEqual(Array(3).fill(["unknown", 1]));
  expect(films.counts().video - before).toBe(3);

  provider.reset();
  for (const { id } of clips) expect((await ann.json("POST", `${path}/steps/${id}/retry`)).status).toBe(200);
  expect(await films.rested(ann, path)).toMatchObject({ status: "done" });
  expect(films.counts().video - before).toBe(6);
});

test("jobs that end without a video are paid for, looked at once more, and made again by their owner alone", async () => {
  const ann = await films.register();
  const before = films.counts().video;
  const content = [{ type: "video", data: btoa("<html>no video</html>") }];
  const ended = { id: "v1_job", status: "completed", steps: [{ type: "model_output", content }] };
  provider.poll = async () => Response.json(ended);
  const { path } = await films.order(ann, { ...withVideos, fresh: true });
  const waiting = await films.rested(ann, path, "provider");
  expect(waiting).toMatchObject({ status: "waiting", waitingFor: "step", spent: { amount: "1.050047" } });
  const clips = waiting.steps.filter(({ kind }: Json) => kind === "video");
  const tries = clips.map(({ status, cost, attempts }: Json) => [
    status,
    cost,
    attempts.map((each: Json) => each.cost),
  ]);
  expect(tries).toEqual(Array(3).fill(["error", "0.30", ["0.30", "0.00"]]));
  expect(films.counts().video - before).toBe(3);

  provider.reset();
  for (const { id } of clips) await ann.json("POST", `${path}/steps/${id}/retry`);
  expect(await films.rested(ann, path)).toMatchObject({ status: "done", spent: { amount: "1.950047" } });
  expect(films.counts().video - before).toBe(6);
});

test("a video whose picture is made again meanwhile is made again, too", async () => {
  const ann = await films.register();
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => (release = resolve));
  let polls = 0;
  let polled = () => {};
  const arePolled = new Promise<void>((resolve) => (polled = resolve));
  provider.poll = async () => {
    if (++polls === 3) polled();
    await isReleased;
    return undefined;
  };
  const before = films.counts();
  const { path } = await films.order(ann, withVideos);
  await arePolled;
  expect((await ann.json("POST", `${path}/steps/scene-0-image/retry`)).status).toBe(200);
  release();
  const film = await films.rested(ann, path, "provider");
  expect([film.status, film.waitingReason]).toEqual(["done", undefined]);
  const { attempts } = stepsOf(film)["scene-0-video"];
  expect(attempts.map(({ state }: Json) => state)).toEqual(["done", "done"]);
  const after = films.counts();
  expect([after.image - before.image, after.video - before.video]).toEqual([4, 4]);
});
