import { isDomainError } from "../../../errors.ts";
import { isMissing } from "../../../platform/files.ts";
import { matchProduct } from "../../ai/analysis/match-product.ts";
import type { Warning } from "../../exports/request/warnings.ts";
import type { Work } from "../../works/works.ts";
import { isWait } from "../failures.ts";
import type { Film } from "../film.ts";
import type { Made, MakePorts, Making } from "./making.ts";

/** Lets a model compare a scene's picture with the product. Only causes warnings. */
export async function matchPicture(ports: MakePorts, { step, call, choiceOf }: Making, work: Work): Promise<Made> {
  const scene = step.scene ?? 0;
  const choice = choiceOf("vision");
  const { selectedAssetIds = [] } = work;
  const references = (await ports.assets.findMany(work.projectId, selectedAssetIds))
    .filter(({ type }) => type === "image")
    .slice(0, maxCompared);
  const picture = await ports.workMedia.find(work.id, `scene/${scene}/image`);
  // a picture of the product itself needs no check
  if (!choice || !picture || references.length === 0 || work.assetUsageMode === "direct") return {};
  const model = ports.models.vision({ ...choice, ...(step.wish?.model !== undefined && { modelId: step.wish.model }) });
  const compare = () =>
    ports.files.withLocalFile(picture.file, (path) =>
      matchProduct(ports, { model, call }, { picture: { ...picture.file, path }, references }),
    );
  const { differences } = await compare().catch((error) => {
    // steps that need the picture report it
    if (isMissing(error)) return { differences: [] };
    // waits for a key, a budget or a provider do not concern the picture
    if (!isDomainError(error) || isWait(step, error)) throw error;
    return { differences: [error.message] };
  });
  return { found: { differences: { [scene]: differences } } };
}

const maxCompared = 4;

export const matchWarnings = ({ order }: Film): readonly Warning[] =>
  Object.entries(order.found?.differences ?? {}).flatMap(([scene, differences]) =>
    differences.map((difference) => ({
      ...{ path: `scenes.${scene}.image`, code: "product_differs" as const },
      message: `The product may look different in this scene: ${difference}`,
    })),
  );
