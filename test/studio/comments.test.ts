import { expect, test } from "bun:test";
import { threadsOf } from "../../studio/src/parts/comments.tsx";

const said = (text: string, at: number, createdAt: number, fields: object = {}) => ({
  ...{ text, at, createdAt, author: "Eve", resolved: false, reviewId: "one" },
  ...fields,
});

test("replies follow their comment of the same link, and comments follow the film", () => {
  const comments = [
    said("late", 9, 1),
    said("second reply", 2, 5, { replyTo: 2 }),
    said("early", 2, 2),
    said("first reply", 2, 3, { replyTo: 2 }),
    said("of another link", 2, 4, { replyTo: 2, reviewId: "two" }),
  ];
  const threads = threadsOf(comments).map(({ comment, replies }) => [comment.text, ...replies.map(({ text }) => text)]);
  expect(threads).toEqual([["early", "first reply", "second reply"], ["late"]]);
});
