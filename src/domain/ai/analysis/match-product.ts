import type { FileStore, InspectedFile, VideoAnalyzer } from "../../../engine/ports.ts";
import { cleanText } from "../../../platform/texts.ts";
import type { Asset } from "../../assets/assets.ts";
import { productMatchPrompt } from "../../projects/default-prompts.ts";
import { acceptedTypes } from "../generation/references.ts";
import type { ImageToCompare } from "../models.ts";
import type { ProductMatch } from "../output-schemas.ts";
import type { AnalysisContext } from "./analyze.ts";

type MatchPorts = { readonly files: FileStore; readonly videoAnalyzer: VideoAnalyzer };

/** Larger images are scaled down: a request may contain nine. */
const maxBytes = 2_000_000;

const maxDifferences = 20;
const maxCharacters = 300;

/** Compares a picture with the product in one paid call. `differences` are sentences for people; none if it matches. */
export async function matchProduct(
  ports: MatchPorts,
  context: AnalysisContext,
  { picture, references }: { readonly picture: InspectedFile; readonly references: readonly Asset[] },
): Promise<ProductMatch> {
  const { model, call } = context;
  const read = (file: InspectedFile) => imageToCompare(ports, context, file);
  const task = {
    prompt: { system: productMatchPrompt, message: "Is the product of the first pictures the one in the new picture?" },
    references: await Promise.all(
      references.map(({ file }) => ports.files.withLocalFile(file, (path) => read({ ...file, path }))),
    ),
    picture: await read(picture),
  };
  const compare = () => model.matchProduct(task, call);
  const { matches, differences } = await (model.isBilled ? call.runOnce("match", compare) : compare());
  const sentences = differences.map((text) => cleanText(text, maxCharacters)).filter(Boolean);
  return { matches, differences: matches ? [] : sentences.slice(0, maxDifferences) };
}

async function imageToCompare(
  { videoAnalyzer }: MatchPorts,
  { model, call: { taskOptions } }: AnalysisContext,
  { path, facts }: InspectedFile,
): Promise<ImageToCompare> {
  if (model.inputFor(facts) === "metrics") return { metrics: await videoAnalyzer.measure(path, facts, taskOptions) };
  return { image: await videoAnalyzer.convertImage(path, facts, acceptedTypes, { ...taskOptions, maxBytes }) };
}
