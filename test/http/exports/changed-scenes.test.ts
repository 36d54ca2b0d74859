import { expect, test } from "bun:test";
import { jsonClient } from "../../support/json-client.ts";
import { workWithScenes } from "../../support/scene-works.ts";
import { sharedService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";

const service = await sharedService();
const ann = await service.register("Ann");
const api = jsonClient(ann);

const scene = (text_overlay: string, duration_seconds = 1) => ({ text_overlay, duration_seconds });
const scenes = [scene("One"), scene("Two"), scene("Three", 2)];
const clip = (sceneIndex: number, start: number, end: number) => ({ id: `clip-${sceneIndex}`, sceneIndex, start, end });
const laidOut = [clip(0, 0, 1), clip(1, 1, 2), clip(2, 2, 4)];
const words = { id: "words", start: 2.5, end: 3 };

async function savedWork(videoTrack: readonly object[] = laidOut) {
  const editorState = {
    editorData: { videoTrack, textTrack: [words] },
    textOverlays: { words: { text: "Three" } },
    exportSettings: { width: 64, height: 112, fps: 10 },
  };
  const { projectId, workId, base, upload } = await workWithScenes(ann, { scenes, editorState });
  for (const at of scenes.keys()) await upload(`scene/${at}/image`, png(64, 112));
  const save = async (body: object) => (await api("PUT", base, body)).body;
  const warnings = async (more: object = {}): Promise<readonly string[]> => {
    const { body } = await api("POST", "/api/export/validate", { projectId, workId, ...more });
    return body.warnings.filter(({ code }: { code: string }) => code === "scenes_changed").map(messageOf);
  };
  return { base, save, warnings, read: async () => (await api("GET", base)).body };
}

const messageOf = ({ message }: { readonly message: string }) => /: (.*)\)/.exec(message)?.[1] ?? message;

test.each([
  ["removed", scenes.slice(1), "1 removed"],
  ["added", [...scenes, scene("Four")], "1 added"],
  ["reworded", [scene("First"), ...scenes.slice(1)], "other words: 0"],
])("scenes that are %s after the editor was saved are named, until it is saved again", async (_, changed, message) => {
  const { save, warnings, read } = await savedWork();
  expect(await warnings()).toEqual([]);
  await save({ scenes: changed });
  expect(await warnings()).toEqual([message]);
  const { editorState } = await read();
  expect(editorState.editorData.videoTrack).toEqual(laidOut);
  // who sends back what is there has edited nothing
  await save({ editorState });
  expect(await warnings()).toEqual([message]);
  expect(await warnings({ clips: [{ sceneIndex: 0, position: 0, end: 1 }] })).toEqual([]);
  await save({ editorState: { ...editorState, textOverlays: { words: { text: "New" } } } });
  expect(await warnings()).toEqual([]);
});

test("clips that show the scenes as they were follow their lengths, and texts with them; others are named", async () => {
  const { save, warnings } = await savedWork();
  const longer = [scene("One", 3), ...scenes.slice(1)];
  const { editorState } = await save({ scenes: longer });
  expect(editorState.editorData.videoTrack).toEqual([clip(0, 0, 3), clip(1, 3, 4), clip(2, 4, 6)]);
  expect(editorState.editorData.textTrack).toEqual([{ ...words, start: 4.5, end: 5 }]);
  expect(await warnings()).toEqual([]);

  const moved = await savedWork([clip(0, 0, 0.5), clip(1, 0.5, 2)]);
  const saved = await moved.save({ scenes: longer });
  expect(saved.editorState.editorData.videoTrack).toEqual([clip(0, 0, 0.5), clip(1, 0.5, 2)]);
  expect(await moved.warnings()).toEqual(["another length: 0"]);
});
