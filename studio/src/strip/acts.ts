import { newId } from "../api.ts";
import { type Bench, captionsOf, chooseItems, chosenItems, draftOfBench, lastMoment, playhead } from "../work/bench.ts";
import { moveClip } from "../work/clips.ts";
import { clipsOf, type Draft } from "../work/draft.ts";
import {
  type Context,
  copyItems,
  duplicateItems,
  type Edge,
  moveItems,
  pasteItems,
  removeItems,
  splitItems,
  trimItem,
} from "./commands.ts";
import { type Item, itemsIn } from "./items.ts";

export const contextOf = (bench: Bench): Context => ({ captions: captionsOf(bench), newId });

type Edit = (draft: Draft, items: readonly Item[], context: Context) => Draft;

/** What people do with the chosen bars, each one step of undo. */
export const actsOf = (bench: Bench) => {
  const { session } = bench;
  const items = () => itemsIn(bench.lanes.value);
  const edit = (act: Edit, on: readonly Item[], tag?: string) => {
    const context = contextOf(bench);
    session.change((draft) => act(draft, on, context), tag);
  };
  /** Chooses the bars that a command has added. */
  const choosingNew = (act: () => void) => {
    const known = new Set(items().map(({ key }) => key));
    act();
    const added = items().filter(({ key }) => !known.has(key));
    if (added.length > 0) chooseItems(bench, added.some(({ kind }) => kind === "clip") ? added.slice(0, 1) : added);
  };
  /** The chosen bars, or else the scene at the playhead. */
  const meant = (): readonly Item[] => {
    const chosen = chosenItems(bench);
    if (chosen.length > 0) return chosen;
    const now = playhead(bench);
    return items().filter(({ kind, start, end }) => kind === "clip" && start <= now + 0.001 && end > now + 0.001);
  };
  const frame = () => 1 / draftOfBench(bench).editor.exportSettings.fps;
  return {
    meant,
    split: () =>
      choosingNew(() => edit((draft, on, context) => splitItems(draft, on, playhead(bench), context), meant())),
    duplicate: () => choosingNew(() => edit(duplicateItems, chosenItems(bench))),
    copy() {
      bench.copied.value = copyItems(draftOfBench(bench), chosenItems(bench)) ?? bench.copied.value;
    },
    cut() {
      bench.copied.value = copyItems(draftOfBench(bench), chosenItems(bench)) ?? bench.copied.value;
      edit(removeItems, chosenItems(bench));
      bench.chosen.value = [];
    },
    paste() {
      const { value: copied } = bench.copied;
      if (!copied) return;
      choosingNew(() => edit((draft, _, context) => pasteItems(draft, copied, playhead(bench), context), []));
    },
    remove() {
      edit(removeItems, chosenItems(bench));
      bench.chosen.value = [];
    },
    /** Moves the chosen bars by frames; a scene by one place. */
    nudge(frames: number) {
      const chosen = chosenItems(bench);
      const [clip] = chosen.flatMap(({ members }) => members).filter(({ kind }) => kind === "clip");
      if (clip) {
        session.change((draft) => {
          const at = clipsOf(draft).findIndex(({ id }) => id === clip.id);
          return moveClip(draft, clip.id, at + Math.sign(frames));
        });
      } else edit((draft, on, context) => moveItems(draft, on, frames * frame(), context), chosen, "nudge");
    },
    /** Trims the chosen bars to the playhead. */
    trim(edge: Edge) {
      const at = playhead(bench) + (edge === "end" ? frame() : 0);
      const on = meant().filter(({ start, end }) => at > start && at < end + (edge === "end" ? 3600 : 0));
      edit(
        (draft, chosen, context) => chosen.reduce((next, item) => trimItem(next, item, edge, at, context), draft),
        on,
      );
      const [item] = on;
      if (edge === "start" && item?.kind === "clip") bench.seek(item.start);
    },
    step: (frames: number) => bench.seek(playhead(bench) + frames * frame()),
    toEnd: () => bench.seek(lastMoment(draftOfBench(bench))),
  };
};

export type Acts = ReturnType<typeof actsOf>;
