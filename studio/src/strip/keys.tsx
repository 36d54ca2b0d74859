import { useEffect } from "preact/hooks";
import { useModal } from "../parts/dialog.tsx";
import { t, type Word } from "../words.ts";
import type { Acts } from "./acts.ts";
import type { Shuttle } from "./play.ts";

type Zoom = { by(factor: number): void; fit(): void };
type Doing = { readonly acts: Acts; readonly shuttle: Shuttle; readonly zoom: Zoom; readonly help: () => void };

const shifted = 10;

/** Keys by `event.key`; those with Ctrl begin with `^`. */
const keys: Readonly<Record<string, (doing: Doing, event: KeyboardEvent) => void>> = {
  " ": ({ shuttle }) => shuttle.toggle(),
  j: ({ shuttle }) => shuttle.back(),
  k: ({ shuttle }) => shuttle.pause(),
  l: ({ shuttle }) => shuttle.forward(),
  ArrowLeft: ({ acts }, { shiftKey }) => acts.step(shiftKey ? -shifted : -1),
  ArrowRight: ({ acts }, { shiftKey }) => acts.step(shiftKey ? shifted : 1),
  Home: ({ acts }) => acts.step(Number.NEGATIVE_INFINITY),
  End: ({ acts }) => acts.toEnd(),
  i: ({ acts }) => acts.trim("start"),
  o: ({ acts }) => acts.trim("end"),
  s: ({ acts }) => acts.split(),
  d: ({ acts }) => acts.duplicate(),
  "^d": ({ acts }) => acts.duplicate(),
  "^c": ({ acts }) => acts.copy(),
  "^x": ({ acts }) => acts.cut(),
  "^v": ({ acts }) => acts.paste(),
  Delete: ({ acts }) => acts.remove(),
  Backspace: ({ acts }) => acts.remove(),
  ",": ({ acts }) => acts.nudge(-1),
  ".": ({ acts }) => acts.nudge(1),
  "<": ({ acts }) => acts.nudge(-shifted),
  ">": ({ acts }) => acts.nudge(shifted),
  "+": ({ zoom }) => zoom.by(1.5),
  "-": ({ zoom }) => zoom.by(1 / 1.5),
  "0": ({ zoom }) => zoom.fit(),
  "?": ({ help }) => help(),
};

/** Inputs where keys type, and choices that keys move. */
const typing = "input:not([type=range], [type=radio], [type=checkbox]), textarea, select, dialog";
const ownArrows = "input, [role=slider], audio, video";
const ownSpace = "input, summary, a, audio, video, button:focus-visible:not(.strip-bar)";

function isOthers({ key, target }: KeyboardEvent): boolean {
  const element = target instanceof Element ? target : document.body;
  if (element.closest(typing)) return true;
  if (key === " ") return element.matches(ownSpace);
  return /^(Arrow|Home|End)/.test(key) && element.matches(ownArrows);
}

/** Listens for the keys of the editor, wherever the focus is but in a field. */
export function useKeys(doing: Doing): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, defaultPrevented } = event;
      const name = key.length === 1 ? key.toLowerCase() : key;
      const act = keys[ctrlKey || metaKey ? `^${name}` : name];
      if (!act || altKey || defaultPrevented || isOthers(event)) return;
      // chosen words of the page are copied as usual
      if (name === "c" && String(getSelection()) !== "") return;
      event.preventDefault();
      act(doing, event);
    };
    addEventListener("keydown", onKey);
    return () => {
      removeEventListener("keydown", onKey);
      doing.shuttle.close();
    };
  }, []);
}

const rows: readonly (readonly [Word, ...string[]])[] = [
  ["workPlay", "Space"],
  ["keyShuttle", "J", "K", "L"],
  ["keyFrames", "←", "→"],
  ["keyEdges", "Home", "End"],
  ["keyBars", "↑", "↓"],
  ["keyNudge", ",", "."],
  ["keyTrim", "I", "O"],
  ["stripSplit", "S"],
  ["stripDuplicate", "D"],
  ["keyCopy", "Ctrl+C", "Ctrl+V"],
  ["remove", "Delete"],
  ["keyMany", "Shift"],
  ["keySnap", "Alt"],
  ["keyZoom", "+", "-", "0"],
  ["workUndo", "Ctrl+Z"],
  ["workRedo", "Ctrl+Shift+Z"],
];

/** Lists the keys. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  const dialog = useModal();
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="keys-title">
      <h2 id="keys-title">{t("stripKeys")}</h2>
      <dl class="keys">
        {rows.map(([word, ...names]) => (
          <div key={word}>
            <dt>
              {names.map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{t(word)}</dd>
          </div>
        ))}
      </dl>
      <p class="actions">
        <button type="button" class="button" onClick={() => dialog.current?.close()}>
          {t("close")}
        </button>
      </p>
    </dialog>
  );
}
