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
        "`valid`: the signature holds by the certificate in the manifest, and the file is the one that was signed; `invalid`: the manifest is damaged, or the file was changed; `unchecked`: it is of a form that the service does not check. Nobody vouches for the signer.",
      ),
    isOwn: z.boolean().describe("This installation has signed the file, and it is as it was then."),
    digitalSourceTypes: z
      .array(z.string())
      .readonly()
      .describe("IPTC's names of how the file, and what it was made from, were made."),
    failures: z.array(z.string()).readonly().describe("C2PA's codes of what does not hold."),
    generator: z.string().optional().describe("The program that made the manifest, as it calls itself."),
    signedBy: z.string().optional().describe("The subject of the certificate."),
  }),
  { description: "The C2PA manifest of the uploaded file itself. Absent if it has none." },
);

const Ingredient = namedObject("ProvenanceIngredient", {
  role: z.enum(ingredientRoles),
  sceneIndex: z.int().min(0).optional().describe("The place of the scene in the work's list, from 0."),
  sha256: Sha256,
  mimeType: z.string(),
  digitalSourceType: DigitalSourceType.optional().describe(
    "Absent for an uploaded file, unless its own manifest says that a trained model has made it or a part of it.",
  ),
  model: Model.optional(),
  inputHash: z
    .string()
    .optional()
    .describe("A hash of the prompt and of everything else but the model that the file was made from."),
  manifest: IngredientManifest.optional(),
});

export const ProvenanceView = namedObject("Provenance", {
  generator: z.object({ name: z.string(), version: z.string() }),
  digitalSourceType: DigitalSourceType.describe("Of the whole film."),
  hasGeneratedParts: z.boolean().describe("A picture, clip, voice or music came from a trained model."),
  models: z.array(Model).describe("The trained models."),
  ingredients: z.array(Ingredient),
  signature: named(
    "ProvenanceSignature",
    z.object({
      algorithm: z.literal("Ed25519"),
      by: z.string().describe("The subject of the certificate."),
      isLocal: z.boolean().describe("The installation made the certificate itself: verifiers call its signer unknown."),
    }),
    { description: "Absent if the videos carry no provenance." },
  ).optional(),
});

export const FilmValueView = namedObject("FilmValue", {
  format: z.literal("reelwright.film"),
  version: z.literal(1),
  id: z.string().describe("Equal for two films with the same frames and samples, wherever they were made."),
  request: z.record(z.string(), z.unknown()).describe("Complete: nothing is left to the work."),
  inputs: z
    .record(z.string(), Sha256)
    .describe(
      "The files, by the field of the request that names each; `clips.0.focus`: what a clip follows by boxes of its asset.",
    ),
  timeline: z.string().describe("A hash of all that is seen and heard, by its times."),
  captions: z.record(z.string(), z.unknown()).optional().describe("The words of the captions."),
  engine: namedObject("RenderEngine", {
    reelwright: z.string(),
    renderer: z.int(),
    ffmpeg: z.object({ version: z.string(), sha256: Sha256 }),
    texts: z.string().describe("A hash of what draws texts, the fonts included."),
  }),
});
