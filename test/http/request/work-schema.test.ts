import { expect, test } from "bun:test";
import fc from "fast-check";
import { completeEditorState, shownEditorState } from "../../../src/domain/works/editor-state.ts";
import { WorkChanges } from "../../../src/http/request/work-schema.ts";

const anyKey = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "toString", "0", "10"));
const anyObject = fc.dictionary(anyKey, fc.jsonValue({ maxDepth: 2 }));
const anyMap = fc.dictionary(
  anyKey.filter((key) => key !== "id"),
  anyObject,
);
const anyAction = fc.tuple(anyMap, fc.nat(100)).map(([own, start]) => ({ ...own, id: "a", start, end: start + 1 }));

const anyState = fc.record({
  textOverlays: anyMap,
  imageOverlays: anyMap,
  editorData: fc.record({ videoTrack: fc.array(anyAction), textTrack: fc.array(anyAction), own: anyMap }),
  own: anyMap,
});

const overTheWire = (value: unknown) => JSON.parse(JSON.stringify(value));
const stored = (editorState: unknown) => completeEditorState(WorkChanges.parse({ editorState }).editorState!);

test("whatever an editor keeps in its state comes back, and may be sent again", () => {
  fc.assert(
    fc.property(anyState, (given) => {
      const sent = overTheWire(given);
      const shown = overTheWire(shownEditorState(stored(sent)));
      // as text, because comparisons of objects pass over a key named __proto__
      for (const key of ["textOverlays", "imageOverlays", "own"]) {
        expect(JSON.stringify(shown[key])).toBe(JSON.stringify(sent[key]));
      }
      expect(shown.editorData).toEqual({ imageTrack: [], audioTrack: [], ...sent.editorData });
      expect(overTheWire(shownEditorState(stored(shown)))).toEqual(shown);
    }),
  );
});
