import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { draw, soundSamples } from "../../support/media/draw-media.ts";
import { ffmpegs, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { sharedService } from "../../support/service.ts";
import { newWork, saveResponse } from "../../support/work-videos.ts";

const service = await sharedService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const [ffmpeg] = ffmpegs();

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

test("sound is normalized and music ducked if the request says so", async () => {
  const scored = await newWork(ann);
  const voice = "aevalsrc='lt(t,1)*0.1*sin(2*PI*2400*t)':s=48000:d=3";
  const talking = await draw(
    join(folder, "talking.mp4"),
    "color=black:s=64x36:r=10:d=3",
    ...["-f", "lavfi", "-i", voice, "-c:v", "libx264", "-c:a", "aac"],
  );
  await scored.scene(0, new File([await Bun.file(talking).bytes()], "talking.mp4", { type: "video/mp4" }));
  const tune = await draw(join(folder, "tune.wav"), "aevalsrc='0.05*sin(2*PI*480*t)':s=48000:d=3");
  await scored.audio(new File([await Bun.file(tune).bytes()], "tune.wav", { type: "audio/wav" }));

  const measureSound = async (audio: object) => {
    const { projectId, workId } = scored;
    const clips = [{ sceneIndex: 0, position: 0, end: 3 }];
    const body = { projectId, workId, clips, audio, options: { width: 64, height: 36, fps: 10 } };
    const path = await saveResponse(folder, await ann.json("POST", "/api/export", body));
    const left = (await soundSamples(ffmpeg!, path)).filter((_, index) => index % 2 === 0);
    const toneAt = (seconds: number) => {
      const window = left.subarray(seconds * 48_000, (seconds + 0.5) * 48_000);
      const radiansPerSample = (2 * Math.PI * 480) / 48_000;
      return Math.abs(window.reduce((sum, level, index) => sum + level * Math.sin(radiansPerSample * index), 0));
    };
    return { rise: toneAt(2.4) / toneAt(0.4), loud: left.reduce((most, level) => Math.max(most, Math.abs(level)), 0) };
  };

  const plain = await measureSound({});
  const changed = await measureSound({ duck: true, normalize: true });
  expect(plain.rise).toBeLessThan(1.2);
  expect(changed.rise).toBeGreaterThan(2.8);
  expect(changed.loud / plain.loud).toBeGreaterThan(1.3);
});
