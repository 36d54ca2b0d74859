import { productTable } from "../../support/batches.ts";
import type { Json } from "../../support/paid-films.ts";
import type { TestUser } from "../../support/service.ts";
import { formOf, png } from "../../support/uploads.ts";
import { requireJson } from "../../support/work-videos.ts";

const image = { assetId: "{{picture}}", position: 0, end: 1, width: 8, height: 8, x: 0, y: 0 };

/** A table whose rows name a picture that lies over the work. */
export async function pictureTable(ann: TestUser) {
  const { projectId, workId, path } = await productTable(ann);
  const assets = `/api/projects/${projectId}/assets`;
  const base = { workId, export: { images: [image] } };
  return {
    ...{ projectId, workId, path, assets, base },
    row: (picture: string) => ({ name: "Bike", price: 1, picture }),
    picture: async (color: string): Promise<string> =>
      (await requireJson(ann.request(assets, { method: "POST", body: formOf({ file: png(8, 8, color) }) }))).id,
    order: async (body: object) => `${path}/${(await requireJson(ann.json("POST", path, { base, ...body }))).id}`,
    filmsOf: async (batch: string): Promise<Json[]> => (await requireJson(ann.request(`${batch}/films`))).films,
  };
}
