import { Hono } from "hono";
import { z } from "zod";
import { type Look, requireLook } from "../../domain/looks/looks.ts";
import type { Services } from "../../services.ts";
import { file, json } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { anyone } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { sendBytes } from "../response/send-file.ts";
import { namedObject } from "../schemas/responses.ts";

const documented = operationsOf("Films");

export const LookView = namedObject("Look", {
  name: z.string().describe("What `look` in the order of a film takes."),
  title: z.string(),
  about: z.string(),
  palettes: z
    .array(namedObject("LookPalette", { lead: z.string(), accent: z.string(), dark: z.string(), light: z.string() }))
    .describe("The colors of films without a brand, as #rrggbb: the product's name chooses one."),
  preview: z
    .string()
    .describe("The URL of a picture: of a built-in look an animated WebP, which needs no credential; else its sheet."),
});

const Looks = namedObject("Looks", { looks: z.array(LookView) });

export const lookView = ({ name, title, about, palettes }: Look, preview: string) => ({
  ...{ name, title, about, palettes: [...palettes], preview },
});

/** The looks of films. Nothing in them is a user's, so they need no credential. */
export const lookRoutes = (services: Pick<Services, "looks">) =>
  new Hono<AppEnv>()
    .get(
      "/",
      documented(anyone, {
        id: "listLooks",
        summary: "List the looks of films",
        about:
          "Returns what `look` in the order of a film takes, each with a small moving picture. A film whose order names none has the look that fits its brief.",
        answers: { 200: json(Looks, "The looks.") },
      }),
      (c) => {
        const views = [...services.looks.looks.values()].map((look) =>
          lookView(look, `/api/looks/${look.name}/preview`),
        );
        return c.json({ looks: views }, 200);
      },
    )
    .get(
      "/:name/preview",
      documented(anyone, {
        id: "getLookPreview",
        summary: "Download a small moving picture of a look",
        about: "Sends an animated WebP of a film with this look.",
        answers: file(["image/webp"], "The moving picture."),
        errors: ["not_found", "range_not_satisfiable"],
      }),
      async (c) => {
        const { name, previewPath = "" } = requireLook(services.looks.looks, c.req.param("name"));
        const bytes = await Bun.file(previewPath).bytes();
        const response = await sendBytes(c, { bytes, mimeType: "image/webp", filename: `${name}.webp` });
        response.headers.set("Cache-Control", "public, max-age=3600");
        return response;
      },
    );
