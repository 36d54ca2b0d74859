import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { z } from "zod";
import type { MediaSlot } from "../../domain/files/internal-urls.ts";
import { putMedia, removeMedia, requireMedia } from "../../domain/works/media.ts";
import type { SceneFile } from "../../domain/works/scene-state.ts";
import type { Services } from "../../services.ts";
import { json, noContent, storedFile } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { taskOptions } from "../client-signal.ts";
import { loadWork, parseSceneIndex } from "../middleware/load-resource.ts";
import { allowQueryToken, requireScopes } from "../middleware/require-scopes.ts";
import { requireStorageRoom } from "../middleware/storage-room.ts";
import { operationsOf } from "../openapi.ts";
import { upload } from "../request/upload.ts";
import { sendStoredFile } from "../response/send-file.ts";
import { UploadedAudio, UploadedMedia } from "./views.ts";

/** The differences between the routes of media slots: the form field, the slot and the response of an upload. */
type SlotRoute<FileField extends string, Body extends object> = {
  readonly fileField: FileField;
  readonly slot: (sceneIndex: string | undefined) => MediaSlot;
  readonly uploaded: (url: string) => Body;
  readonly response: z.ZodType<Body>;
  /** Used in operation ids and in sentences. */
  readonly names: { readonly id: string; readonly words: string };
  readonly types: readonly string[];
};

const slotRoute = <FileField extends string, Body extends object>(route: SlotRoute<FileField, Body>) => route;

const reference = slotRoute({
  fileField: "video",
  slot: () => "reference",
  uploaded: (url) => ({ ok: true as const, url }),
  response: UploadedMedia,
  names: { id: "ReferenceVideo", words: "the reference video" },
  types: ["video/*"],
});

const audio = slotRoute({
  fileField: "audio",
  slot: () => "audio",
  uploaded: (audioUrl) => ({ ok: true as const, audioUrl }),
  response: UploadedAudio,
  names: { id: "WorkAudio", words: "the music" },
  types: ["audio/*", "video/*"],
});

const voice = slotRoute({
  fileField: "file",
  slot: () => "voice",
  uploaded: (url) => ({ ok: true as const, url }),
  response: UploadedMedia,
  names: { id: "WorkVoice", words: "the voice of the whole work" },
  types: ["audio/*", "video/*"],
});

const sceneFiles = {
  image: { names: { id: "SceneImage", words: "a scene's image" }, types: ["image/*"] },
  video: { names: { id: "SceneVideo", words: "a scene's video" }, types: ["video/*"] },
  voice: { names: { id: "SceneVoice", words: "a scene's voice" }, types: ["audio/*", "video/*"] },
};

const scene = (file: SceneFile | "voice") =>
  slotRoute({
    fileField: "file",
    slot: (sceneIndex = "") => `scene/${parseSceneIndex(sceneIndex)}/${file}`,
    uploaded: (url) => ({ ok: true as const, url }),
    response: UploadedMedia,
    ...sceneFiles[file],
  });

export const workMediaRoutes = (services: Services) =>
  new Hono<AppEnv>()
    .route("/reference", slotRoutes(services, reference))
    .route("/scene/:sceneIndex/image", slotRoutes(services, scene("image")))
    .route("/scene/:sceneIndex/video", slotRoutes(services, scene("video")))
    .route("/scene/:sceneIndex/voice", slotRoutes(services, scene("voice")))
    .route("/voice", slotRoutes(services, voice))
    .route("/audio", slotRoutes(services, audio));

function slotRoutes<FileField extends string, Body extends object>(
  services: Services,
  { fileField, slot, uploaded, response, names: { id, words }, types }: SlotRoute<FileField, Body>,
) {
  const canRead = requireScopes("works:read");
  const canWrite = requireScopes("works:write");
  const documented = operationsOf("Media", loadWork(services));
  const withSlot = createMiddleware<AppEnv>(async (c, next) => {
    c.set("slot", slot(c.req.param("sceneIndex")));
    await next();
  });

  const withRoom = requireStorageRoom(services, async (c) => {
    const replaced = await services.workMedia.find(c.var.work.id, c.var.slot);
    return replaced?.file.sizeBytes ?? 0;
  });

  return new Hono<AppEnv>()
    .get(
      "/",
      allowQueryToken,
      documented(canRead, {
        id: `download${id}`,
        summary: `Download ${words}`,
        about: "Sends the file as it was uploaded or generated.",
        answers: storedFile(types, "The file."),
        errors: ["not_found", "range_not_satisfiable", "source_unreadable"],
      }),
      withSlot,
      async (c) => {
        const { file } = await requireMedia(services.workMedia, c.var.work, c.var.slot);
        return sendStoredFile(c, services.files, file);
      },
    )
    .post(
      "/",
      documented(canWrite, {
        id: `upload${id}`,
        summary: `Upload ${words}`,
        about:
          "Replaces the file; the old one is removed once the new one is stored. Accepts the same files as assets, at most 500 MB unless the server is set up otherwise.",
        answers: { 200: json(response, "Where the file is.") },
      }),
      withSlot,
      withRoom,
      upload(services, fileField),
      async (c) => {
        const { file: received, filename } = c.req.valid("form");
        const url = await putMedia(services, c.var.work, c.var.slot, { received, filename }, taskOptions(c));
        return c.json(uploaded(url), 200);
      },
    )
    .delete(
      "/",
      documented(canWrite, {
        id: `delete${id}`,
        summary: `Delete ${words}`,
        about: "Removes the file, and its URL from the work.",
        answers: noContent("The file is deleted."),
        errors: ["not_found"],
      }),
      withSlot,
      async (c) => {
        await removeMedia(services, c.var.work, c.var.slot);
        return c.body(null, 204);
      },
    );
}
