import type { Ingredient, IngredientManifest } from "../../engine/ports.ts";
import { withoutUndefined } from "../../platform/values.ts";
import { isFromTrainedModel, type Production } from "./statement.ts";

export function provenanceView({ statement, engine, signed, unsigned }: Production) {
  const { source: digitalSourceType, ingredients } = statement;
  const models = new Map(
    ingredients
      .filter(isFromTrainedModel)
      .flatMap(({ model }) => (model ? [[`${model.provider} ${model.model}`, model]] : [])),
  );
  return {
    generator: { name: "Reelwright", version: engine.reelwright },
    digitalSourceType,
    hasGeneratedParts: ingredients.some(isFromTrainedModel),
    models: [...models.values()],
    ingredients: ingredients.map(ingredientView),
    ...(signed && { signature: { algorithm: "Ed25519" as const, ...signed } }),
    ...(unsigned && { unsigned: `A ${unsigned} file carries no signature here: MP4, PNG and JPEG files do.` }),
  };
}

const ingredientView = ({ role, scene, sha256, mimeType, source, model, inputHash, manifest }: Ingredient) => ({
  ...{ role, sha256, mimeType },
  ...withoutUndefined({ sceneIndex: scene, digitalSourceType: source, model, inputHash }),
  ...(manifest && { manifest: manifestView(manifest) }),
});

const manifestView = ({ state, sources, failures, generator, signer, isOwn }: IngredientManifest) => ({
  ...{ state, isOwn, digitalSourceTypes: sources, failures },
  ...withoutUndefined({ generator, signedBy: signer?.subject }),
});
