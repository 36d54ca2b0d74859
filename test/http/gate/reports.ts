import type { GateReport, RuleResult } from "../../../src/domain/gate/report.ts";
import type { TestUser } from "../../support/service.ts";
import { newWork, requireJson } from "../../support/work-videos.ts";

export const options = { width: 90, height: 160, fps: 30 };

/** What small frames cannot keep. */
export const small = ["resolution", "size", "bitrate"];

export const checker =
  (user: TestUser) =>
  async (request: object): Promise<GateReport> =>
    await requireJson(user.json("POST", "/api/export/check", request));

/** What has become of the rules that are not passed, on the first platform. */
export function broken({ reports: [first] }: GateReport): Record<string, string> {
  const results = first!.rules.filter(({ status }) => status === "fail" || status === "warn");
  return Object.fromEntries(results.map(({ rule, status }) => [rule, status]));
}

export const result = ({ reports }: GateReport, rule: string): RuleResult =>
  reports[0]!.rules.find((one) => one.rule === rule)!;

/** A film of one clip, or one picture. */
export async function filmOf(user: TestUser, scene: File, seconds = 6) {
  const work = await newWork(user, { name: "Film" });
  await (scene.type.startsWith("image/") ? work.image(0, scene) : work.scene(0, scene));
  const { projectId, workId } = work;
  return { work, request: { projectId, workId, clips: [{ sceneIndex: 0, position: 0, end: seconds }], options } };
}
