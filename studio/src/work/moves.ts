import type { Overlay } from "./draft.ts";

export const moveRoles = ["enter", "exit", "loop"] as const;
export type MoveRole = (typeof moveRoles)[number];

/** A move of an overlay; fields that this page does not know are kept. */
export type Move = { readonly name: string; readonly [field: string]: unknown };

const olderFields = { enter: "animateIn", exit: "animateOut", loop: "" } as const;

/** The move that is most like a value of `animateIn` or `animateOut`. */
function moveLike(animation: unknown): Move | undefined {
  if (!animation || animation === "none") return undefined;
  const [name = "", direction] = String(animation).split(/(?<=^slide)/);
  return { name, direction, seconds: 0.3 };
}

/** The move of an overlay in this role. */
export function moveOf(overlay: Overlay, role: MoveRole): Move | undefined {
  const value = overlay[role] ?? moveLike(overlay[olderFields[role]]);
  // safe because a work has moves as names or as objects with a name
  return typeof value === "string" ? { name: value } : (value as Move | undefined);
}

/** The fields that give an overlay this move; undefined removes it. */
export const withMove = (overlay: Overlay, role: MoveRole, move: Move | undefined): Overlay => ({
  // the service refuses the older fields beside an entrance or an exit
  ...(role !== "loop" && {
    enter: moveOf(overlay, "enter"),
    exit: moveOf(overlay, "exit"),
    animateIn: undefined,
    animateOut: undefined,
  }),
  [role]: move,
});
