import { type Context, Hono } from "hono";
import { z } from "zod";
import { requireFound } from "../../domain/shared/versioned.ts";
import { defaultBedSeconds } from "../../domain/sounds/sounds.ts";
import { bedFile, effectFile, type StoredFile } from "../../engine/ports.ts";
import type { Services } from "../../services.ts";
import { file, json } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { allowQueryToken, anyone, requireScopes } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { validate } from "../request/validate.ts";
import { sendFile } from "../response/send-file.ts";
import { namedObject } from "../schemas/responses.ts";

const documented = operationsOf("Films");

const BedView = namedObject("Bed", {
  name: z.string().describe("What `music.bed` in the order of a film takes."),
  title: z.string(),
  about: z.string(),
  mood: z.array(z.string()),
  tempo: z.number().describe("Beats a minute. The length of a video changes it by at most 6 %."),
  key: z.string().describe("Such as `E minor`."),
  audioUrl: z.string().describe("What `audio.audioUrl` of an export takes: the bed becomes as long as the video."),
  preview: z.string().describe("The URL of 16 seconds of it, which needs no credential."),
});

const Beds = namedObject("Beds", { beds: z.array(BedView) });

const EffectView = namedObject("Effect", {
  name: z.string(),
  title: z.string(),
  about: z.string(),
  seconds: z.number(),
  lead: z.number().describe("The second at which it is loudest: it belongs so much before its moment."),
  audioUrl: z.string().describe("What `sounds` of an export take. It needs no credential."),
});

const Effects = namedObject("Effects", { effects: z.array(EffectView) });

const SecondsQuery = z.object({
  seconds: z.coerce.number().min(3).max(180).optional().describe(`Its length; ${defaultBedSeconds} by default.`),
});

type SoundServices = Pick<Services, "soundLibrary" | "files" | "internalUrls">;

/** The beds under films. Nothing in them is a user's, so the list needs no credential. */
export const bedRoutes = ({ soundLibrary, files, internalUrls }: SoundServices) => {
  const requireBed = (name: string) => requireFound(soundLibrary.beds.get(name));

  return new Hono<AppEnv>()
    .get(
      "/",
      documented(anyone, {
        id: "listBeds",
        summary: "List the beds of films",
        about:
          "Returns the beds, which are music that the service composes: the values of `music.bed` in the order of a film. If an order does not set `music`, the film gets the bed that fits its look and its brief.",
        answers: { 200: json(Beds, "The beds.") },
      }),
      (c) => {
        const views = [...soundLibrary.beds.values()].map(({ name, title, about, mood, tempo, key, scale }) => ({
          ...{ name, title, about, mood: [...mood], tempo, key: `${key} ${scale}` },
          ...{ audioUrl: internalUrls.madeSound("bed", name), preview: `/api/beds/${name}/preview` },
        }));
        return c.json({ beds: views }, 200);
      },
    )
    .get(
      "/:name/preview",
      documented(anyone, {
        id: "getBedPreview",
        summary: "Download a short version of a bed",
        about: `Sends ${defaultBedSeconds} seconds of a bed as WAV.`,
        answers: file(["audio/wav"], "The sound."),
        errors: ["not_found", "range_not_satisfiable"],
      }),
      (c) => sendMade(c, files, bedFile(requireBed(c.req.param("name")), defaultBedSeconds)),
    )
    .get(
      "/:name/sound",
      allowQueryToken,
      documented(requireScopes(), {
        id: "getBedSound",
        summary: "Download a bed that is fitted to a length",
        about:
          "Sends a bed as WAV, with an intro, a drop, a break and an end for this length. As `audio.audioUrl` of an export, the same URL is as long as the video.",
        answers: file(["audio/wav"], "The sound."),
        errors: ["not_found", "range_not_satisfiable"],
      }),
      validate("query", SecondsQuery),
      (c) => {
        const { seconds = defaultBedSeconds } = c.req.valid("query");
        return sendMade(c, files, bedFile(requireBed(c.req.param("name")), seconds));
      },
    );
};

/** The effects of films, which anyone can read. */
export const effectRoutes = ({ soundLibrary, files, internalUrls }: SoundServices) =>
  new Hono<AppEnv>()
    .get(
      "/",
      documented(anyone, {
        id: "listEffects",
        summary: "List the sound effects of films",
        about: "Returns the effects that looks place on entrances, cuts and prices, for `sounds` of exports.",
        answers: { 200: json(Effects, "The effects.") },
      }),
      (c) => {
        const views = [...soundLibrary.effects.values()].map(({ name, title, about, seconds, lead }) => ({
          ...{ name, title, about, seconds, lead, audioUrl: internalUrls.madeSound("effect", name) },
        }));
        return c.json({ effects: views }, 200);
      },
    )
    .get(
      "/:name/sound",
      documented(anyone, {
        id: "getEffectSound",
        summary: "Download an effect",
        about: "Sends an effect as WAV.",
        answers: file(["audio/wav"], "The sound."),
        errors: ["not_found", "range_not_satisfiable"],
      }),
      (c) => sendMade(c, files, effectFile(requireFound(soundLibrary.effects.get(c.req.param("name"))))),
    );

/** Anyone's caches may keep it: a sound has another ETag when it changes. */
async function sendMade(c: Context<AppEnv>, files: Services["files"], made: StoredFile): Promise<Response> {
  const { sizeBytes, sha256, filename, facts } = made;
  const response = await sendFile(c, {
    ...{ sizeBytes, filename, mimeType: facts.mimeType, disposition: "inline", contentHash: sha256 },
    // it is in no store that could send it itself
    read: (start, end) => files.read(made, start, end),
  });
  response.headers.set("Cache-Control", "public, max-age=3600");
  return response;
}
