import type { Work } from "./works.ts";

/**
 * The assets that the scenes of a work in the mode "direct" show themselves, scene i the one at i % n. Undefined in the
 * other mode, or if no asset is selected.
 */
export const directAssetIds = ({ assetUsageMode, selectedAssetIds = [] }: Work): readonly string[] | undefined =>
  assetUsageMode === "direct" && selectedAssetIds.length > 0 ? selectedAssetIds : undefined;
