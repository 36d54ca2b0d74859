import type { BrandUse } from "../../brand/branding.ts";
import type { CompleteRequest } from "./fill-from-editor.ts";

/** The gate checks a video against the brand at the time of the request. */
export function withSettledRules(request: CompleteRequest, use: BrandUse | undefined): CompleteRequest {
  if (!request.gate || !use) return request;
  const { rules = {} } = request;
  const { palette = {}, logo } = use.brand;
  const colors = Object.values(palette).flatMap((color) => color ?? []);
  const assetId = rules.logo?.assetId ?? logo?.asset.id;
  return {
    ...request,
    rules: {
      ...rules,
      ...(colors.length > 0 && !rules.palette && { palette: colors }),
      ...(assetId !== undefined && { logo: { ...rules.logo, assetId } }),
    },
  };
}
