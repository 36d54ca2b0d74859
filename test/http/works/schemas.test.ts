import { expect, test } from "bun:test";
import fc from "fast-check";
import { completeEditorState, editorStateView } from "../../../src/domain/works/editor-state.ts";
import { WorkChanges } from "../../../src/http/works/schemas.ts";

const anyKey = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "toString", "0", "10"));
// many small states rather than few large ones
const few = { maxKeys: 3 };
const anyObject = fc.dictionary(anyKey, fc.jsonValue({ maxDepth: 1 }), few);
const anyMap = fc.dictionary(
  anyKey.filter((key) => key !== "id"),
  anyObject,
  few,
);
const anyAction = fc.tuple(anyMap, fc.nat(100)).map(([own, start]) => ({ ...own, id: "a", start, end: start + 1 }));
const anyTrack = fc.array(anyAction, { maxLength: 3 });

const anyState = fc.record({
  textOverlays: anyMap,
  imageOverlays: anyMap,
  editorData: fc.record({ videoTrack: anyTrack, textTrack: anyTrack, own: anyMap }),
  own: anyMap,
});

const viaJson = (value: unknown) => JSON.parse(JSON.stringify(value));
const stored = (editorState: unknown) => completeEditorState(WorkChanges.parse({ editorState }).editorState!);

test("an editor state round-trips with every unknown key, and may be sent again", () => {
  fc.assert(
    fc.property(anyState, (given) => {
      const sent = viaJson(given);
      const shown = viaJson(editorStateView(stored(sent)));
      // compared as text: comparisons of objects ignore a key named __proto__
      for (const key of ["textOverlays", "imageOverlays", "own"]) {
        expect(JSON.stringify(shown[key])).toBe(JSON.stringify(sent[key]));
      }
      expect(shown.editorData).toEqual({ imageTrack: [], audioTrack: [], ...sent.editorData });
      expect(viaJson(editorStateView(stored(shown)))).toEqual(shown);
    }),
  );
});
