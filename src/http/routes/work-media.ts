import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { Services } from "../../domain/services.ts";
import { putMedia, removeMedia, requireMedia } from "../../domain/works/media.ts";
import type { SceneFile } from "../../domain/works/scene-state.ts";
import type { MediaSlot } from "../../domain/works/works.ts";
import type { AppEnv } from "../app-env.ts";
import { loadWork } from "../middleware/load-resource.ts";
import { queryToken, requireScopes } from "../middleware/require-scopes.ts";
import { requireSceneIndex } from "../request/scene-index.ts";
import { upload } from "../request/upload.ts";
import { sendStored } from "../response/send-file.ts";

/** One place for a file in a work: which slot it is, the form field it comes in, and what an upload answers. */
type Place<FileField extends string, Answer extends object> = {
  readonly fileField: FileField;
  readonly slot: (sceneIndex: string | undefined) => MediaSlot;
  readonly answer: (url: string) => Answer;
};

const place = <FileField extends string, Answer extends object>(made: Place<FileField, Answer>) => made;

const reference = place({ fileField: "video", slot: () => "reference", answer: (url) => ({ ok: true, url }) });

const audio = place({ fileField: "audio", slot: () => "audio", answer: (audioUrl) => ({ ok: true, audioUrl }) });

const scene = (file: SceneFile) =>
  place({
    fileField: "file",
    slot: (sceneIndex = "") => `scene/${requireSceneIndex(sceneIndex)}/${file}`,
    answer: (url) => ({ ok: true, url }),
  });

export const workMediaRoutes = (services: Services) =>
  new Hono<AppEnv>()
    .route("/reference", placeRoutes(services, reference))
    .route("/scene/:sceneIndex/image", placeRoutes(services, scene("image")))
    .route("/scene/:sceneIndex/video", placeRoutes(services, scene("video")))
    .route("/audio", placeRoutes(services, audio));

function placeRoutes<FileField extends string, Answer extends object>(
  services: Services,
  { fileField, slot, answer }: Place<FileField, Answer>,
) {
  const [mayRead, mayWrite] = [requireScopes("works:read"), requireScopes("works:write")];
  const own = loadWork(services);
  const inSlot = createMiddleware<AppEnv>(async (c, next) => {
    c.set("slot", slot(c.req.param("sceneIndex")));
    await next();
  });

  return new Hono<AppEnv>()
    .get("/", queryToken, mayRead, own, inSlot, async (c) => {
      const { file } = await requireMedia(services.workMedia, c.var.work, c.var.slot);
      return sendStored(c, services.files, file);
    })
    .post("/", mayWrite, own, inSlot, upload(services, fileField), async (c) => {
      const { file: received, filename } = c.req.valid("form");
      const url = await putMedia(services, c.var.work, c.var.slot, { received, filename });
      return c.json(answer(url), 200);
    })
    .delete("/", mayWrite, own, inSlot, async (c) => {
      await removeMedia(services, c.var.work, c.var.slot);
      return c.body(null, 204);
    });
}
