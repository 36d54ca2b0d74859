import { expect, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ApiError } from "../../client/src/errors.ts";
import type { Work } from "../../studio/src/api.ts";
import { changeClip } from "../../studio/src/work/clips.ts";
import { clipsOf, type Draft } from "../../studio/src/work/draft.ts";
import { type Kept, openSession, type SessionPorts } from "../../studio/src/work/session.ts";

const clip = { id: "a", start: 0, end: 2, sceneIndex: 0 };
const workWith = (videoTrack: readonly object[]): Work =>
  // safe because only these fields are read
  ({
    ...{ id: "w", scenes: [], generatedScenes: [] },
    editorState: {
      editorData: { videoTrack, textTrack: [], imageTrack: [], audioTrack: [] },
      ...{ textOverlays: {}, imageOverlays: {}, audioVolume: 1 },
      exportSettings: { width: 64, height: 112, fps: 10 },
    },
  }) as unknown as Work;

const conflict = () =>
  new ApiError({ code: "precondition_failed", message: "Changed.", status: 412, details: undefined });

/** A service with one work, whose revisions are counted; timers run when the test says so. */
function service(work = workWith([clip])) {
  let revision = 1;
  let stored = work;
  const timers = new Set<() => void>();
  const state = { isAway: false, kept: undefined as Kept | undefined, saves: 0 };
  const put = (next: Work) => {
    stored = next;
    revision += 1;
    return { work: stored, etag: `"r${revision}"` };
  };
  const ports: SessionPorts = {
    async load() {
      if (state.isAway) throw new TypeError("away");
      return { work: stored, etag: `"r${revision}"` };
    },
    async save({ editor }, _, etag) {
      if (state.isAway) throw new TypeError("away");
      if (etag !== `"r${revision}"`) throw conflict();
      state.saves += 1;
      // as an answer does, which is read from JSON
      return put({ ...stored, editorState: JSON.parse(JSON.stringify(editor)) });
    },
    keep(kept) {
      state.kept = kept;
    },
    later(act) {
      timers.add(act);
      return () => void timers.delete(act);
    },
  };
  const tick = async () => {
    const due = [...timers];
    timers.clear();
    for (const act of due) act();
    await nextTurn();
  };
  return { ports, state, tick, put, timers, stored: () => stored, open: () => ports.load() };
}

const fade = (draft: Draft) => changeClip(draft, "a", { transitionType: "fade" });
const wipe = (draft: Draft) => changeClip(draft, "a", { transitionType: "wipeleft" });
const transitionIn = (work: Work) => work.editorState?.editorData.videoTrack[0]?.transitionType;

test("changes are kept at once, saved once after the last one, and then kept no more", async () => {
  const { ports, state, tick, stored, open } = service();
  const session = openSession(ports, await open());
  expect(session.saving.value.kind).toBe("saved");
  session.change(fade);
  session.change(wipe);
  expect([session.saving.value.kind, state.kept?.etag]).toEqual(["changed", '"r1"']);
  await tick();
  expect([session.saving.value.kind, state.saves, state.kept]).toEqual(["saved", 1, undefined]);
  expect(transitionIn(stored())).toBe("wipeleft");
  // the next one is saved over this one
  session.undo();
  expect(await session.flush()).toBe(true);
  expect([transitionIn(stored()), state.saves]).toEqual(["fade", 2]);
});

test("without a connection changes stay, also over a reload, and are saved when it is back", async () => {
  const { ports, state, tick, stored, open } = service();
  const before = await open();
  const session = openSession(ports, before);
  state.isAway = true;
  session.change(fade);
  await tick();
  expect(session.saving.value.kind).toBe("offline");
  await tick();
  expect(session.saving.value.kind).toBe("offline");
  const { kept } = state;
  session.close();

  state.isAway = false;
  const again = openSession(ports, await open(), { kept });
  expect(clipsOf(again.history.value.present)[0]?.transitionType).toBe("fade");
  expect(again.saving.value.kind).toBe("changed");
  await tick();
  expect([again.saving.value.kind, transitionIn(stored()), state.kept]).toEqual(["saved", "fade", undefined]);
});

test("who saves second is told, keeps what was changed, and can take the other version", async () => {
  const { ports, state, tick, stored, put, open } = service();
  const session = openSession(ports, await open());
  put(workWith([{ ...clip, transitionType: "dissolve" }]));
  session.change(fade);
  await tick();
  expect(session.saving.value.kind).toBe("conflict");
  expect(clipsOf(session.history.value.present)[0]?.transitionType).toBe("fade");
  session.change(wipe);
  await tick();
  expect([state.saves, state.kept?.draft]).toEqual([0, session.history.value.present]);

  await session.takeTheirs();
  expect(clipsOf(session.history.value.present)[0]?.transitionType).toBe("dissolve");
  expect([session.saving.value.kind, state.kept]).toEqual(["saved", undefined]);
  // the own version is one step back
  session.undo();
  await tick();
  expect([session.saving.value.kind, transitionIn(stored())]).toEqual(["saved", "wipeleft"]);
});

test("or can save the own version over it; a kept one that is older than the work asks the same", async () => {
  const { ports, state, tick, stored, put, open } = service();
  const session = openSession(ports, await open());
  session.change(fade);
  const { kept } = state;
  put(workWith([{ ...clip, transitionType: "dissolve" }]));
  const again = openSession(ports, await open(), { kept });
  expect(again.saving.value.kind).toBe("conflict");
  await tick();
  expect(transitionIn(stored())).toBe("dissolve");
  await again.keepMine();
  expect([again.saving.value.kind, transitionIn(stored()), state.kept]).toEqual(["saved", "fade", undefined]);
});

test("a kept draft asks at each reload, whatever is changed meanwhile, until a person decides", async () => {
  const { ports, state, tick, stored, put, open } = service();
  openSession(ports, await open()).change(fade);
  put(workWith([{ ...clip, transitionType: "dissolve" }]));
  for (const edit of [fade, wipe]) {
    const again = openSession(ports, await open(), { kept: state.kept });
    expect(again.saving.value.kind).toBe("conflict");
    again.change(edit);
    await again.changeFiles(async () => put({ ...stored(), name: "other files" }));
    await tick();
    expect([again.saving.value.kind, state.kept?.etag, transitionIn(stored())]).toEqual([
      "conflict",
      '"r1"',
      "dissolve",
    ]);
  }
  const last = openSession(ports, await open(), { kept: state.kept });
  await last.keepMine();
  expect([last.saving.value.kind, transitionIn(stored()), state.kept]).toEqual(["saved", "wipeleft", undefined]);
});

test("what was stored before the page was left, whose answer it never saw, is no conflict", async () => {
  const { ports, state, stored, put, open } = service();
  const session = openSession(ports, await open());
  session.change(fade);
  const { kept } = state;
  const { editorData, ...rest } = JSON.parse(JSON.stringify(kept?.draft.editor));
  // the service answers with keys in an order of its own
  put({ ...stored(), editorState: { ...rest, editorData } });
  const again = openSession(ports, await open(), { kept });
  expect([again.saving.value.kind, again.history.value.past, state.kept]).toEqual(["saved", [], undefined]);
});

test("files that this page changes are no conflict, and what others saved meanwhile is one", async () => {
  const { ports, tick, put, stored, open } = service();
  const session = openSession(ports, await open());
  session.change(fade);
  await session.changeFiles(async () => put({ ...stored(), generatedScenes: [{ sceneIndex: 0, status: "done" }] }));
  expect([session.saving.value.kind, session.version.value]).toEqual(["saved", 1]);
  session.change(wipe);
  await tick();
  expect([session.saving.value.kind, transitionIn(stored())]).toEqual(["saved", "wipeleft"]);
  await session.changeFiles(async () => put(workWith([{ ...clip, transitionType: "dissolve" }])));
  expect(session.saving.value.kind).toBe("conflict");
  await session.keepMine();
  expect([session.saving.value.kind, transitionIn(stored())]).toEqual(["saved", "wipeleft"]);
});

test("the decision to keep the own version stays over a reload", async () => {
  const { ports, state, put, open } = service();
  const session = openSession(ports, await open());
  await session.changeFiles(async () => put(workWith([{ ...clip, transitionType: "dissolve" }])));
  const { save } = ports;
  ports.save = async () => {
    throw new TypeError("away");
  };
  await session.keepMine();
  expect([session.saving.value.kind, state.kept?.etag]).toEqual(["offline", '"r2"']);
  ports.save = save;
  expect(await session.flush()).toBe(true);
  expect([session.saving.value.kind, state.kept]).toEqual(["saved", undefined]);
});

test("what the service refuses is said, and not sent again before the next change", async () => {
  const { ports, tick, timers, open } = service();
  const message = "End must be later than start.";
  const refuse = async () => {
    throw new ApiError({ code: "validation_error", message, status: 400, details: [] });
  };
  const session = openSession({ ...ports, save: refuse }, await open());
  session.change(fade);
  await tick();
  expect(session.saving.value).toEqual({ kind: "refused", message });
  expect(timers.size).toBe(0);
});
