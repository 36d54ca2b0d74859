import type { Work } from "../../domain/works/works.ts";
import { resourceRows } from "../database/resource-rows.ts";
import { withoutNulls } from "../database/rows.ts";
import { works } from "../database/schema.ts";

export const workRows = resourceRows<typeof works, Work>({
  table: works,
  owner: works.projectId,
  toResource: (row) => ({ ...withoutNulls(row), analysis: row.analysis }),
  toRow: (work) => ({
    ...work,
    videoDuration: work.videoDuration ?? null,
    sceneCount: work.sceneCount ?? null,
    editorState: work.editorState ?? null,
    selectedAssetIds: work.selectedAssetIds ?? null,
    assetUsageMode: work.assetUsageMode ?? null,
    resolution: work.resolution ?? null,
  }),
});
