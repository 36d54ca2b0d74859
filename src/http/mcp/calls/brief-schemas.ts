import type { Components, JsonSchema } from "./json-schema.ts";

/** Schemas that the guide describes: written out, those of the motion language would be most of what a model reads. */
const briefSchemas: Readonly<Record<string, JsonSchema>> = {
  Layer: {
    type: "object",
    description:
      "{ type: text | image | video | shape | html | lottie | group, id, position, end, centerX, centerY, enter, exit, keyframes, … }: see reelwright://guide.",
  },
  NewDefaultTransition: { type: "object", description: "{ type, duration }, of clips without a transition." },
  LayerEntrance: { description: "A name, or { name, seconds, … }: see reelwright://guide." },
};

const ofEveryLayer = [
  ...["anchor", "scale", "skewX", "skewY", "shadow", "filter", "blend", "mask"],
  ...["enter", "exit", "loop", "motions", "keyframes"],
];

/** Newer fields, which the guide describes for all layers together. */
const guided: Readonly<Record<string, readonly string[]>> = {
  ExportText: [
    ...ofEveryLayer,
    ...["spans", "case", "fill", "min", "max", "width", "height", "backgroundBy", "paddingX", "paddingY"],
    ...["wrap", "language", "italic", "targets"],
  ],
  ExportClip: ["speed", "reverse", "scale", "rotation", "opacity", "filter", "move", "keyframes"],
  ExportImage: [...ofEveryLayer, "focus", "zoom", "radius", "repeat", "speed", "targets"],
};

/** Overlays whose fields are described where an export has them. */
const likeExports: Readonly<Record<string, string>> = {
  NewTemplateTextOverlay: "texts",
  NewTemplateImageOverlay: "images",
};

/** The components of the API document, as short as a model needs them. */
export const briefComponents = ({ components }: Components): Components => {
  const schemas = Object.entries(components.schemas).map(([name, schema]) => {
    // safe because the document's schemas are JSON schemas
    const own = schema as JsonSchema;
    return [name, Object.hasOwn(briefSchemas, name) ? briefSchemas[name] : shortened(name, own)];
  });
  return { components: { ...components, schemas: Object.fromEntries(schemas) } };
};

/** A component without what the guide, or another argument, describes. An object may have those fields all the same. */
function shortened(name: string, schema: JsonSchema): JsonSchema {
  const { properties } = schema;
  if (properties && Object.hasOwn(guided, name)) {
    const kept = Object.entries(properties).filter(([field]) => !guided[name]!.includes(field));
    const description = "Also has the fields of motion: see reelwright://guide.";
    return { ...schema, description, properties: Object.fromEntries(kept) };
  }
  if (!properties || !Object.hasOwn(likeExports, name)) return schema;
  const fields = Object.entries(properties).map(([field, { description, ...rest }]): [string, JsonSchema] => [
    field,
    field.startsWith("start") || field.startsWith("end") ? { description, ...rest } : rest,
  ]);
  const description = `Fields as in ${likeExports[name]} of export_start.`;
  return { ...schema, description, properties: Object.fromEntries(fields) };
}
