import type { Work } from "./works.ts";

/** In the mode "direct", scene i shows asset i % n. Undefined in the other mode, or if no asset is selected. */
export const directAssetIds = ({ assetUsageMode, selectedAssetIds = [] }: Work): readonly string[] | undefined =>
  assetUsageMode === "direct" && selectedAssetIds.length > 0 ? selectedAssetIds : undefined;
