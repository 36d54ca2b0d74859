import { expect, test } from "bun:test";
import type { FilmPlan } from "../../../../src/domain/films/film.ts";
import { composeFilm } from "../../../../src/domain/films/steps/compose.ts";
import type { Project } from "../../../../src/domain/projects/projects.ts";
import { defaultResolution } from "../../../../src/domain/works/editor-state.ts";
import type { WorkMedia } from "../../../../src/domain/works/media.ts";
import type { ScenarioScene, Work } from "../../../../src/domain/works/works.ts";
import { boxesIn } from "../../../../src/engine/html-drawing/boxes.ts";
import { looks } from "../../../support/looks.ts";

type Edit = Parameters<Parameters<typeof composeFilm>[0]["workMedia"]["changeWork"]>[2];
type Words = { readonly overlay: string; readonly voice: string };

/** The film of these scenes, with a voice and captions, as it is laid out. */
async function laidOut(scenes: readonly Words[], order: object = {}) {
  // safe because composing reads nothing else
  const film = {
    order: {
      brief: { text: "" },
      targets: ["9:16"],
      captions: {},
      models: { speech: { provider: "voices" } },
      ...order,
    },
    steps: [],
  } as unknown as FilmPlan;
  const work = {
    ...{ productName: "Foldaway", productDescription: "", generatedScenes: [], resolution: defaultResolution },
    scenes: scenes.map(
      ({ overlay, voice }): Partial<ScenarioScene> => ({
        ...{ duration_seconds: 4, text_overlay: overlay, voice_text: voice },
      }),
    ),
  } as unknown as Work;
  const media = scenes.map((_, at) => ({ slot: `scene/${at}/image`, file: { facts: {} } }) as unknown as WorkMedia);
  // safe because composing calls nothing else
  const workMedia = { changeWork: async (_p: string, _w: string, edit: Edit) => edit(work, media) };
  const ports = { workMedia, textMeasurer: { boxesIn } } as unknown as Parameters<typeof composeFilm>[0];
  const composed = await composeFilm(ports, { film, project: {} as Project, looks, assets: [] }, work, {
    owner: "user",
  });
  const { editorData, textOverlays } = composed.editorState!;
  const boxes = editorData.textTrack.map(({ id, start }) => {
    const { text, centerY = 0, maxHeight = 0 } = textOverlays[id] as { [name: string]: number | undefined };
    const middle = defaultResolution.height / 2 + centerY;
    return { text: String(text), start, top: middle - maxHeight / 2, bottom: middle + maxHeight / 2 };
  });
  return { captions: editorData.videoTrack.map(({ caption }) => caption ?? true), boxes };
}

const same: readonly Words[] = [
  { overlay: "A folding bike.", voice: "Foldaway. A folding bike." },
  { overlay: "Folds in ten seconds.", voice: "Folds in ten seconds." },
  { overlay: "Order now", voice: "Order now" },
];
const others: readonly Words[] = [
  { overlay: "A folding bike.", voice: "Meet the bike that goes under your desk." },
  { overlay: "Folds in ten seconds.", voice: "Ten seconds, and it is small." },
  { overlay: "Order now", voice: "Get yours before summer." },
];

test("captions follow the voice, but for what a title says in the same words", async () => {
  expect((await laidOut(same)).captions).toEqual([false, true, false]);
  expect((await laidOut(same)).boxes.map(({ text }) => text).join(" ")).toContain("folding bike");
  expect((await laidOut(others)).captions).toEqual([true, true, true]);
  expect((await laidOut(others.slice(0, 1))).captions).toEqual([true]);
  expect((await laidOut(same.slice(0, 1))).captions).toEqual([false]);
});

test("captions of the caller's own words are shown from the start to the end", async () => {
  const captions = { srt: "1\n00:00:00,000 --> 00:00:02,000\nHello" };
  expect((await laidOut(same, { captions })).captions).toEqual([true, true, true]);
});

test.each([
  ["in type", {}, 0.42],
  ["where the order wants them", { position: { y: 0.25 } }, 0.25],
  ["at the bottom", { position: "bottom" }, 0.58],
])("titles beside captions leave them their place: %s", async (_, captions, center) => {
  const { boxes } = await laidOut(others, { captions });
  const middle = defaultResolution.height * center;
  expect(boxes.length).toBeGreaterThan(1);
  for (const { text, top, bottom } of boxes) expect([text, bottom < middle || top > middle]).toEqual([text, true]);
});
