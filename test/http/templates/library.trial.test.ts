import { expect, test } from "bun:test";
import { loadImage } from "@napi-rs/canvas";
import { filmWithLibrary } from "./library-film.ts";

const { user, ann, templates, expectInSafeZone } = await filmWithLibrary();
const ids: readonly string[] = templates.map(({ id }: { id: string }) => id);

test("each template has a picture for each aspect ratio", async () => {
  for (const { previews, animations } of templates) {
    const moving = await user.request(animations["1:1"]);
    expect(await loadImage(await moving.bytes())).toMatchObject({ width: 384, height: 384 });
    const sizes = Object.values<string>(previews).map(async (url) => {
      const response = await user.request(url);
      const { width, height } = await loadImage(await response.bytes());
      return [response.status, width, height];
    });
    expect(await Promise.all(sizes)).toEqual([
      [200, 270, 480],
      [200, 480, 480],
      [200, 480, 270],
    ]);
  }
  expect((await ann("GET", "/api/template-library/quote/thumbnail?aspect=2:1")).status).toBe(400);
});

// the first one is a fact
test.each(ids.slice(1))("%s stays in the safe zone of every frame, whatever its values are", expectInSafeZone);
