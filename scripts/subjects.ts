import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { subjectLanguages } from "../src/domain/films/subject/language.ts";
import { fluentVectors, minified } from "./subjects/vectors.ts";
import { keptSubjects, wordsOf } from "./subjects/words.ts";

/** Writes src/subjects: the vectors and words of drawn subjects, from the packages that the lock file pins. */
const folder = join(import.meta.dir, "../src/subjects");

const compressed = (text: string) =>
  brotliCompressSync(text, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text) },
  });

const vectors = await fluentVectors();
const places: Record<string, readonly [start: number, length: number]> = {};
const parts: Buffer[] = [];
let start = 0;
for (const id of keptSubjects) {
  const part = compressed(minified(vectors[id]!));
  places[id] = [start, part.length];
  parts.push(part);
  start += part.length;
}
await Bun.write(join(folder, "vectors.bin"), Buffer.concat(parts));
await Bun.write(join(folder, "vectors.json"), `${JSON.stringify(places)}\n`);

let wordBytes = 0;
for (const language of subjectLanguages) {
  const part = compressed(JSON.stringify(await wordsOf(language)));
  wordBytes += part.length;
  await Bun.write(join(folder, "words", `${language}.json.br`), part);
}
console.log(
  `${keptSubjects.length} subjects: ${start} bytes. ${subjectLanguages.length} languages: ${wordBytes} bytes.`,
);
