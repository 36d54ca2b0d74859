import { expect, test } from "bun:test";
import { truncate } from "node:fs/promises";
import { copyStoredImage } from "../../../src/domain/media-sources/image-sources.ts";
import { sharedService, storesOnDisk } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { newWork } from "../../support/work-videos.ts";

test.if(storesOnDisk)("a stored image that was cut is missing for who shows it to a model", async () => {
  const { services, register } = await sharedService();
  const work = await newWork(await register());
  await work.image(0, png());
  const [row] = await services.workMedia.list(work.workId);
  const { file } = row!;
  await services.files.withLocalFile(file, (path) => truncate(path, 10));
  const copying = copyStoredImage(services, file, { owner: "ann" });
  await expect(copying).rejects.toMatchObject({ code: "asset_missing", facts: { path: "image_url" } });
});
