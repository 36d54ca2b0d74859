import { Hono } from "hono";
import { z } from "zod";
import { layerTypes, motionView, requireMove } from "../../domain/motion/moves.ts";
import { parameterTypes, parameterUnits } from "../../domain/motion/parameters.ts";
import type { NamedMove } from "../../engine/ports.ts";
import { once } from "../../platform/async.ts";
import type { Services } from "../../services.ts";
import { file, json } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { anyone } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { validate } from "../request/validate.ts";
import { sendBytes } from "../response/send-file.ts";
import { namedObject } from "../schemas/responses.ts";

const documented = operationsOf("Exports");

const MotionParameter = namedObject("MotionParameter", {
  name: z.string(),
  type: z.enum(parameterTypes).describe("`point` is { x, y }."),
  min: z.number().optional(),
  max: z.number().optional(),
  default: z
    .union([z.number(), z.boolean(), z.string(), z.object({ x: z.number(), y: z.number() })])
    .optional()
    .describe("Absent if it depends on the frame or on the layer."),
  values: z.array(z.string()).optional().describe("The values of a choice."),
  unit: z.enum(parameterUnits).optional().describe("`share` is a part of the layer's size, or of the move's time."),
});

const MotionMove = namedObject("MotionMove", {
  name: z.string(),
  types: z.array(z.enum(layerTypes)).describe("The types of layers that have it; `texts` and `images` are such too."),
  parameters: z.array(MotionParameter),
  preview: z.string().describe("The URL of an animated WebP of 180 × 120 pixels, which needs no credential."),
});

const Motion = namedObject("Motion", {
  enter: z.array(MotionMove),
  exit: z.array(MotionMove),
  loop: z.array(MotionMove),
  easings: namedObject("MotionEasings", {
    names: z.array(z.string()),
    forms: z.array(z.string()).describe("Easings with numbers."),
  }),
});

const VersionQuery = z.object({
  v: z.string().max(64).optional().describe("The version, as the list of moves has it: caches keep such a URL."),
});

/** Enough of a hash to tell the versions of one picture apart. */
const versionCharacters = 12;

/** The names of motion, for editors and agents. Nothing in them is a user's, so they need no credential. */
export const motionRoutes = ({ moveDrawer }: Pick<Services, "moveDrawer">) => {
  const versionOf = (move: NamedMove) => moveDrawer.versionOf(move).slice(0, versionCharacters);
  const previewUrl = (move: NamedMove) => `/api/motion/${move.role}/${move.name}/preview?v=${versionOf(move)}`;

  const list = once(() => motionView(previewUrl));

  return new Hono<AppEnv>()
    .get(
      "/",
      documented(anyone, {
        id: "listMotion",
        summary: "List entrances, exits, loops and easings",
        about:
          "Returns the names that `enter`, `exit` and `loop` of layers, texts and images take (`motions` take those of `enter` and `loop`, and a name of both is the loop), their parameters with bounds and defaults, a small animation of each, and all easings.",
        answers: { 200: json(Motion, "The names.") },
      }),
      (c) => c.json(list(), 200),
    )
    .get(
      "/:role/:name/preview",
      documented(anyone, {
        id: "getMotionPreview",
        summary: "Download a small animation of a move",
        about:
          "Sends an animated WebP of an entrance, an exit or a loop with its defaults. The role is `enter`, `exit` or `loop`.",
        answers: file(["image/webp"], "The animation."),
        errors: ["not_found", "range_not_satisfiable"],
      }),
      validate("query", VersionQuery),
      async (c) => {
        const move = requireMove(c.req.param("role"), c.req.param("name"));
        const bytes = await moveDrawer.draw(move);
        const filename = `${move.role}-${move.name}.webp`;
        const response = await sendBytes(c, { bytes, mimeType: "image/webp", filename });
        const isVersioned = c.req.valid("query").v === versionOf(move);
        response.headers.set("Cache-Control", isVersioned ? "public, max-age=31536000, immutable" : "public, no-cache");
        return response;
      },
    );
};
