import { afterAll, test } from "bun:test";
import { DomainError } from "../../../src/errors.ts";
import { kinds, refusedAnswers } from "./refused-answers.ts";

const { films, expectKept } = await refusedAnswers();
afterAll(films.close);

/** As when the process that reads a file is killed because memory is short. */
const unreadable = () => new DomainError("unsupported_media_type", { reason: "The file is damaged." });
const broken = () => new Error("EAGAIN");

test.each([
  ["that cannot be read", unreadable, kinds],
  ["at which the service fails", broken, ["image", "video", "voice"]],
] as const)("answers %s are kept, used at a second try, and not paid for again", async (_, error, refused) => {
  await expectKept(error, refused);
});
