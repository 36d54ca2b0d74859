import { Hono } from "hono";
import { z } from "zod";
import { filmValueOf, requireProduction } from "../../domain/exports/lifecycle/film-value.ts";
import { provenanceView } from "../../domain/provenance/view.ts";
import { digitalSources, ingredientRoles } from "../../engine/ports.ts";
import type { Services } from "../../services.ts";
import { json } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { requireExportScopes, requireOwnExport } from "../exports/access.ts";
import { operationsOf } from "../openapi.ts";
import { named, namedObject } from "../schemas/responses.ts";

const Sha256 = z.string().describe("SHA-256, in hexadecimal digits.");

const Model = z.object({ provider: z.string(), model: z.string() });

const DigitalSourceType = z.enum(digitalSources).describe("A term of the IPTC's list of digital source types.");

const IngredientManifest = named(
  "IngredientManifest",
  z.object({
    state: z
      .enum(["valid", "invalid", "unchecked"])
      .describe(
        "`valid`: the signature holds by the certificate in the manifest, and the file is the one that was signed; `invalid`: the manifest is damaged, or the file was changed; `unchecked`: the service does not support this form. The identity of the signer is not verified.",
      ),
    isOwn: z.boolean().describe("This installation signed the file, and it is unchanged since."),
    digitalSourceTypes: z
      .array(z.string())
      .readonly()
      .describe("IPTC terms for how the file and its sources were made."),
    failures: z.array(z.string()).readonly().describe("C2PA's failure codes."),
    generator: z.string().optional().describe("The program that made the manifest, by its own name."),
    signedBy: z.string().optional().describe("The subject of the certificate."),
  }),
  { description: "The C2PA manifest of the uploaded file itself. Absent if it has none." },
);

const Ingredient = namedObject("ProvenanceIngredient", {
  role: z.enum(ingredientRoles),
  sceneIndex: z.int().min(0).optional().describe("The index of the scene in the work's list, from 0."),
  sha256: Sha256,
  mimeType: z.string(),
  digitalSourceType: DigitalSourceType.optional().describe(
    "Absent for an uploaded file, unless its own manifest says that a trained model made it or a part of it.",
  ),
  model: Model.optional(),
  inputHash: z
    .string()
    .optional()
    .describe("A hash of everything that the file was made from, such as the prompt, except the model."),
  manifest: IngredientManifest.optional(),
});

const ProvenanceView = namedObject("Provenance", {
  generator: z.object({ name: z.string(), version: z.string() }),
  digitalSourceType: DigitalSourceType.describe("The source type of the whole video."),
  hasGeneratedParts: z.boolean().describe("A picture, clip, voice or music came from a trained model."),
  models: z.array(Model).describe("The trained models."),
  ingredients: z.array(Ingredient),
  signature: named(
    "ProvenanceSignature",
    z.object({
      algorithm: z.literal("Ed25519"),
      by: z.string().describe("The subject of the certificate."),
      isLocal: z
        .boolean()
        .describe("The installation made the certificate itself: verifiers report an unknown signer."),
    }),
    { description: "Absent if the videos carry no provenance." },
  ).optional(),
  unsigned: z.string().optional().describe("Why the files carry no manifest, where the service signs other formats."),
});

const FilmValueView = namedObject("FilmValue", {
  format: z.literal("reelwright.film"),
  version: z.literal(1),
  id: z.string().describe("Equal for two videos with the same frames and samples, wherever they were made."),
  request: z.record(z.string(), z.unknown()).describe("The complete request: no field comes from the work."),
  inputs: z
    .record(z.string(), Sha256)
    .describe(
      "A hash of each file, by the field of the request that names it; `clips.0.focus`: the points that a clip follows, from the subject boxes of its asset.",
    ),
  timeline: z.string().describe("A hash of the whole timeline: all pictures and sounds with their times."),
  captions: z.record(z.string(), z.unknown()).optional().describe("The words of the captions."),
  engine: namedObject("RenderEngine", {
    reelwright: z.string(),
    renderer: z.int(),
    ffmpeg: z.object({ version: z.string(), sha256: Sha256 }),
    texts: z.string().describe("A hash of the text renderer, fonts included."),
  }),
});

const documented = operationsOf("Exports");

/** The sources of an export's videos. */
export const provenanceRoutes = (services: Services) =>
  new Hono<AppEnv>()
    .get(
      "/:exportId/provenance",
      documented(requireExportScopes(), {
        id: "readProvenance",
        summary: "Read what an exported video was made from",
        about:
          "Returns the content of the signed C2PA manifest in the videos: each source file, with its hash and the model that made it. The answer is 404 for exports of versions that recorded nothing.",
        answers: { 200: json(ProvenanceView, "The provenance.") },
        errors: ["not_found", "not_ready"],
      }),
      async (c) => c.json(provenanceView(requireProduction(await requireOwnExport(services.exports, c))), 200),
    )
    .get(
      "/:exportId/film.json",
      documented(requireExportScopes(), {
        id: "readFilmValue",
        summary: "Read an exported video as a value",
        about:
          "Returns everything that determines the bytes of the videos except their signature: the complete request, a hash of each file, and the versions of the renderer. The same value gives the same bytes on another machine.",
        answers: { 200: json(FilmValueView, "The value.") },
        errors: ["not_found", "not_ready"],
      }),
      async (c) => c.json(await filmValueOf(services, await requireOwnExport(services.exports, c)), 200),
    );
