import { expect, test } from "bun:test";
import { join } from "node:path";
import { LayerList } from "../../../src/domain/exports/request/layers/schema.ts";
import { ExportRequest } from "../../../src/domain/exports/request/schema.ts";
import { motionView } from "../../../src/domain/motion/moves.ts";
import { transitionKinds } from "../../../src/engine/timeline/track.ts";
import { guide } from "../../../src/http/mcp/guide.ts";

const page = await Bun.file(join(import.meta.dir, "../../../docs/motion.md")).text();

const examples = [...page.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, block]) => JSON.parse(block!));

/** A layer may be a group of layers. */
const schemaOf = (example: object) => {
  if ("sceneIndex" in example) return ExportRequest.shape.clips;
  return "layers" in example && !("type" in example) ? ExportRequest : LayerList;
};

test("every example of the page is a valid request, clip, layer or list of layers", () => {
  expect(examples.length).toBeGreaterThan(4);
  for (const example of examples) {
    const { error } = schemaOf(example).safeParse(schemaOf(example) === ExportRequest ? example : [example].flat());
    expect([example, error?.issues]).toEqual([example, undefined]);
  }
});

test("the example of motion in the guide of tools is a valid request", () => {
  const [, section = ""] = guide.split("## Motion");
  const [, block = ""] = /```json\n([\s\S]*?)```/.exec(section) ?? [];
  const request = { projectId: "proj_1", workId: "work_1", ...JSON.parse(block) };
  expect(ExportRequest.safeParse(request).error).toBeUndefined();
});

test("the page names every entrance and every loop", () => {
  const { enter, loop } = motionView(() => "");
  const missing = [...enter, ...loop].filter(({ name }) => !page.includes(`\`${name}\``));
  expect(missing).toEqual([]);
});

test("the page names every transition, or the first and the last of a direction", () => {
  const inner = /(?:right|up)$/;
  const missing = transitionKinds.filter(
    (kind) => kind !== "cut" && !inner.test(kind) && !page.includes(`\`${kind}\``),
  );
  expect(missing).toEqual([]);
});
