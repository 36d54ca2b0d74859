import { z } from "zod";
import { digitalSources, ingredientRoles } from "../../engine/ports.ts";
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

export const ProvenanceView = namedObject("Provenance", {
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
});

export const FilmValueView = namedObject("FilmValue", {
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
