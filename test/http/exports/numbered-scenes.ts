import { ffmpegs } from "../../support/media/ffmpeg.ts";
import { sharedService } from "../../support/service.ts";
import { newWork, numberedVideo, readNumbers, requireJson, saveResponse } from "../../support/work-videos.ts";

const words = ["Look closer", "Meet the cup", "Order today"];
const scenesFrom = (first: number) =>
  words.map((text_overlay, place) => ({ scene_index: first + place, duration_seconds: 0.1, text_overlay }));
const statesFrom = (first: number) => words.map((_, place) => ({ sceneIndex: first + place, status: "done" }));

export const options = { width: 64, height: 36, fps: 30 };
export const clip = (sceneIndex: number, position: number) => ({ sceneIndex, position, end: position + 0.1 });
/** What the films of `request` show. */
export const numbers = [300, 301, 302, 500, 501, 502];

/** A work of three scenes, whose client counts them from 1. */
export async function numberedScenes(folder: string) {
  const service = await sharedService();
  const ann = await service.register("Ann");
  const work = await newWork(ann);
  for (const place of [0, 1, 2]) await work.scene(place, await numberedVideo(folder, 100 + 200 * place, 3));

  /** The work as an editor saves it whose scenes are numbered from `first`. */
  const numberedFrom = (first: number, fields: object = {}) =>
    requireJson(
      ann.json("PUT", work.base, { scenes: scenesFrom(first), generatedScenes: statesFrom(first), ...fields }),
    );
  await numberedFrom(1);
  const ids = { projectId: work.projectId, workId: work.workId };
  /** Leaves out the first scene of a client that counts from 1. */
  const request = { ...ids, clips: [clip(2, 0), clip(3, 0.1)], options };

  const [ffmpeg] = ffmpegs();
  const numbersOf = async (response: Response) => readNumbers(ffmpeg!, await saveResponse(folder, response));
  const numbersOfJob = async (id: string) => {
    await (await ann.request(`/api/exports/${id}/events`)).text();
    return await numbersOf(await ann.request(`/api/exports/${id}/file`));
  };
  return { service, ann, work, ids, request, numberedFrom, numbersOf, numbersOfJob };
}
