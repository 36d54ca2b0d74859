import { expect } from "bun:test";
import type { Services } from "../../../src/services.ts";
import { allPaid, type Json, paidFilms } from "../../support/paid-films.ts";
import { wav } from "../../support/uploads.ts";

const music = await wav().bytes();

function kindOf(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (start.startsWith("RIFF")) return music.length === bytes.length ? "music" : "voice";
  return start.includes("ftyp") ? "video" : "image";
}

export const kinds = ["image", "video", "voice", "music"] as const;

type Kind = (typeof kinds)[number];

/** Films whose answers can be refused when they are looked at. */
export async function refusedAnswers(replace: (services: Services) => Partial<Services> = () => ({})) {
  /** What the next inspection of a file of each kind throws. */
  const refusals = new Map<string, Error>();
  const films = await paidFilms({}, (services) => ({
    ...replace(services),
    inspector: {
      ...services.inspector,
      async inspect(...args) {
        const kind = refusals.size > 0 ? kindOf(await Bun.file(args[0]).bytes()) : "";
        const error = refusals.get(kind);
        if (!error) return await services.inspector.inspect(...args);
        refusals.delete(kind);
        throw error;
      },
    },
  }));

  /** Of a film whose answers of some kinds are refused once; `waitsFor` is what it waits for then, if that is known. */
  const expectKept = async (error: () => Error, refused: readonly Kind[], waitsFor?: "storage"): Promise<void> => {
    const ann = await films.register();
    const { projectId, assetId } = await films.withPicture(ann);
    const before = films.counts();
    for (const kind of refused) refusals.set(kind, error());
    const order = { ...allPaid(assetId), scenes: 1, fresh: true };
    const { path, film: ordered } = await films.order(ann, order, projectId);
    let film: Json = await films.rested(ann, path);
    if (waitsFor) expect(film).toMatchObject({ status: "waiting", waitingFor: waitsFor });
    // another kind of file may be refused next
    for (; ["provider", "storage"].includes(film.waitingFor); film = await films.rested(ann, path))
      await films.poll(ordered.id).catch(() => {});
    expect([film.status, film.waitingReason, refusals.size]).toEqual(["done", undefined, 0]);
    const after = films.counts();
    expect(kinds.map((kind) => after[kind] - before[kind])).toEqual([1, 1, 1, 1]);
    expect(await films.settledSpend(ann)).toMatchObject({ total: "0.380229", unknown: "0.00" });
  };
  return { films, expectKept };
}
