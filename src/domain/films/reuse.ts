import type { FileReference, FileStore, ReceivedFile } from "../../engine/ports.ts";
import { joinSamples, type Samples, samplesOfWav, wavOf } from "../../engine/timeline/samples.ts";
import { ifLost } from "../../platform/files.ts";
import { sha256Of } from "../../platform/values.ts";
import type {
  ImageModel,
  LanguageModel,
  ModelChoice,
  ModelKind,
  Models,
  MusicModel,
  ReferenceImage,
  SpeechModel,
  VideoModel,
  VisionModel,
} from "../ai/models.ts";
import { receiveStored } from "../files/file-store.ts";
import type { Json } from "../idempotency/checkpoints.ts";
import { canonicalJson } from "../shared/json.ts";

/** The result of a model: a text is stored itself, a file is found in its project by its contents. */
export type FilmResult = { readonly hash: string } & ({ readonly output: Json } | { readonly sha256: string });

/** A result that still exists completely. */
export type FoundResult = { readonly output: Json } | { readonly file: FileReference };

type FilmOfProject = { readonly id: string; readonly projectId: string };

export type ResultStore = {
  /** The latest result of the project's other films for the same input: two equal scenes of one film may differ. */
  findResult(film: FilmOfProject, hash: string): Promise<FoundResult | undefined>;
};

export type Reuse = {
  readonly files: FileStore;
  /** Undefined also if nothing may be reused. */
  find(hash: string): Promise<FoundResult | undefined>;
  /** A result that is not remembered is only paid again. */
  remember(result: FilmResult): void;
  /** The seed of a retry. */
  readonly seed?: number | undefined;
};

/** Reuses the free results of earlier films for the same input. The hash covers the model and everything that is sent. */
export function reusingModels(models: Models, reuse: Reuse): Models {
  const wrap =
    <Kind extends ModelKind, Model extends { readonly isBilled: boolean }>(
      kind: Kind,
      create: (choice: ModelChoice) => Model,
      decorate: (model: Model, made: Maker) => Model,
    ) =>
    (choice: ModelChoice): Model => {
      const model = create(choice);
      // local results cost nothing, and may have improved
      return model.isBilled ? decorate(model, makerOf(reuse, [kind, models.select(kind, choice).id])) : model;
    };
  return {
    ...models,
    llm: wrap("llm", models.llm, reusingText),
    vision: wrap("vision", models.vision, reusingVision),
    image: wrap("image", models.image, (model, made) => reusingImage(model, made, reuse.seed)),
    video: wrap("video", models.video, (model, made) => reusingVideo(model, made, reuse.seed)),
    speech: wrap("speech", models.speech, reusingSpeech),
    music: wrap("music", models.music, reusingMusic),
  };
}

/** How to read a kind of file again, and identify it by its contents. */
type FileKind<Made> = {
  readonly load: (files: FileStore, file: FileReference) => Promise<Made>;
  sha256(made: Made): string;
};

type Maker = {
  text<Made>(input: unknown, make: () => Promise<Made>): Promise<Made>;
  /** `isPaid` tells that it is already being made. */
  file<Made>(kind: FileKind<Made>, input: unknown, make: () => Promise<Made>, isPaid?: boolean): Promise<Made>;
};

function makerOf({ files, find, remember, seed }: Reuse, of: unknown): Maker {
  const once = async <Made>(
    input: object,
    { load, describe }: { load(found: FoundResult): Promise<Made>; describe(made: Made): object },
    make: () => Promise<Made>,
    isPaid = false,
  ): Promise<Made> => {
    const hash = hashOf([of, input]);
    const found = isPaid ? undefined : await find(hash);
    // a file may be lost or damaged although its record exists
    const kept = found && (await load(found).catch(ifLost(undefined)));
    if (kept !== undefined) return kept;
    const made = await make();
    const result = describe(made);
    // safe because each kind describes one of the two kinds of results
    remember({ hash, ...result } as FilmResult);
    // later orders, which have no seed, find the result of a retry with one
    if (seed !== undefined) remember({ hash: hashOf([of, { ...input, seed: undefined }]), ...result } as FilmResult);
    return made;
  };
  return {
    text: <Made>(input: unknown, make: () => Promise<Made>) =>
      once<Made>(
        { input },
        {
          // safe because the hash covers the same model and method
          load: async (found) => ("output" in found ? found.output : undefined) as Made,
          describe: (output) => ({ output }),
        },
        make,
      ),
    file: <Made>({ load, sha256 }: FileKind<Made>, input: unknown, make: () => Promise<Made>, isPaid = false) =>
      once<Made>(
        { input, seed },
        {
          load: (found) => ("file" in found ? load(files, found.file) : make()),
          describe: (made) => ({ sha256: sha256(made) }),
        },
        make,
        isPaid,
      ),
  };
}

/** Bytes are represented by their hash. */
const hashOf = (input: unknown): string => sha256Of(canonicalJson(withoutBytes(input)));

function withoutBytes(value: unknown): unknown {
  if (value instanceof Uint8Array) return { sha256: sha256Of(value) };
  if (Array.isArray(value)) return value.map(withoutBytes);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, withoutBytes(child)]));
}

/** Larger than anything that a model returns. */
const maxBytes = 2 ** 30;

const bytesKind: FileKind<Uint8Array> = {
  load: (files, file) => files.withLocalFile(file, (path) => Bun.file(path).bytes()),
  sha256: sha256Of,
};

/** The stored form of a voice with one part. */
const samplesKind: FileKind<Samples> = {
  load: (files, file) => files.withLocalFile(file, async (path) => samplesOfWav(await Bun.file(path).bytes())),
  sha256: (samples) => sha256Of(wavOf(joinSamples([samples], 0))),
};

const receivedKind: FileKind<ReceivedFile> = {
  load: (files, file) => receiveStored({ files }, file, maxBytes),
  sha256: ({ sha256 }) => sha256,
};

const reusingText = (model: LanguageModel, made: Maker): LanguageModel => ({
  ...model,
  writeScenario: ({ prompt, brief }, call) =>
    made.text({ scenario: prompt }, () => model.writeScenario({ prompt, brief }, call)),
  extractStyleGuide: ({ prompt, text }, call) =>
    made.text({ styleGuide: prompt }, () => model.extractStyleGuide({ prompt, text }, call)),
});

const reusingVision = (model: VisionModel, made: Maker): VisionModel => ({
  ...model,
  matchProduct: (task, call) => made.text({ match: task }, () => model.matchProduct(task, call)),
});

const sentPictures = (references: readonly ReferenceImage[] = []) =>
  references.map(({ bytes, mimeType }) => ({ bytes, mimeType }));

const withSeed = (seed: number | undefined) => (seed === undefined ? {} : { seed });

const reusingImage = (model: ImageModel, made: Maker, seed: number | undefined): ImageModel => ({
  ...model,
  draw: (task, call) => {
    const { prompt, resolution } = task;
    const references = sentPictures(task.references);
    return made.file(bytesKind, { prompt, resolution, references }, () =>
      model.draw({ ...task, ...withSeed(seed) }, call),
    );
  },
});

const reusingVideo = (model: VideoModel, made: Maker, seed: number | undefined): VideoModel => ({
  ...model,
  animate: async (task, call, job) => {
    const make = () => model.animate({ ...task, ...withSeed(seed) }, call, job);
    const { prompt, resolution, durationSeconds, image } = task;
    const picture = await Bun.file(image.path).bytes();
    const references = sentPictures(task.references);
    // absent without any, as in clips stored before models took references
    const pictures = { picture, ...(references.length > 0 && { references }) };
    const input = { prompt, resolution, durationSeconds, ...pictures };
    return await made.file(receivedKind, input, make, job.id !== undefined);
  },
});

const reusingSpeech = (model: SpeechModel, made: Maker): SpeechModel => ({
  ...model,
  speak: (task, call) => made.file(samplesKind, task, () => model.speak(task, call)),
});

const reusingMusic = (model: MusicModel, made: Maker): MusicModel => ({
  ...model,
  compose: (task, call) => made.file(bytesKind, task, () => model.compose(task, call)),
});
