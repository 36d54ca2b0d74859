import { type ReadonlySignal, type Signal, useComputed, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { threadsOf } from "../parts/comments.tsx";
import { t, timeText } from "../words.ts";
import { type Bench, chooseItems, chosenItems, draftOfBench, playhead } from "../work/bench.ts";
import { secondsOf } from "../work/draft.ts";
import { keyTimes, moveKey, removeKey } from "../work/keyframes.ts";
import { overlaysOf } from "../work/overlays.ts";
import { type Acts, actsOf, contextOf } from "./acts.ts";
import { type Edge, moveItems, placeClip, trimItem } from "./commands.ts";
import { beginDrag, type Drag } from "./drag.ts";
import { type Item, itemsIn, type LaneKind, memberKey, partName } from "./items.ts";
import { KeysDialog, useKeys } from "./keys.tsx";
import { shuttleOf } from "./play.ts";
import { rulerStep } from "./snap.ts";
import { useSounds, waveOf } from "./sounds.ts";

const laneWords = { clip: "scenes", overlay: "workTexts", caption: "workCaptions", sound: "workSound" } as const;

/** The height of a row in rem. */
const rowHeights: Readonly<Record<LaneKind, number>> = { clip: 2.375, overlay: 1.625, caption: 1.625, sound: 2 };
const largestZoom = 60;

const nameOf = (item: Item): string => {
  const { kind, name } = item;
  if (kind === "clip") return t("scene", { number: name });
  if (kind === "voice") return t("workVoiceOf", { number: name });
  if (kind === "music") return t("workMusic");
  if (kind === "sound") return t(name === "music" ? "workMusic" : "stripEffect");
  if (name) return name;
  if (kind === "layer") return `${t("stripLayer")} ${partName(item.members[0]?.id ?? "")}`;
  return t(kind === "image" ? "workImage" : "workEmptyText");
};

type View = {
  readonly bench: Bench;
  readonly acts: Acts;
  /** Pixels of a second. */
  readonly scale: ReadonlySignal<number>;
  /** The time that a dragged edge meets. */
  readonly met: Signal<number | undefined>;
  readonly said: Signal<string>;
};

/** The film as bars on one strip of time. */
export function Strip({ bench }: { bench: Bench }) {
  const view = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  const zoom = useSignal(1);
  const met = useSignal<number | undefined>(undefined);
  const said = useSignal("");
  const asksKeys = useSignal(false);
  const acts = useMemo(() => actsOf(bench), []);
  const scale = useComputed(() => {
    const seconds = secondsOf(draftOfBench(bench));
    // room to drag the end of the film
    return Math.max(4, (width.value - 24) / (seconds * 1.04 || 1)) * zoom.value;
  });
  useSounds(bench);
  const zooming = {
    by(factor: number) {
      const element = view.current;
      const next = Math.min(largestZoom, Math.max(1, zoom.value * factor));
      if (!element || next === zoom.value) return;
      // the playhead stays where it is seen
      const shift = playhead(bench) * scale.value * (next / zoom.value - 1);
      zoom.value = next;
      requestAnimationFrame(() => {
        element.scrollLeft += shift;
      });
    },
    fit() {
      zoom.value = 1;
    },
  };
  const shuttle = useMemo(() => shuttleOf(bench), []);
  const help = () => {
    asksKeys.value = true;
  };
  useKeys({ acts, shuttle, zoom: zooming, help });
  useEffect(() => {
    const element = view.current!; // safe because it is rendered
    const head = element.querySelector(".lane-name");
    const measure = () => {
      width.value = element.clientWidth - (head?.getBoundingClientRect().width ?? 0);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zooming.by(event.deltaY < 0 ? 1.2 : 1 / 1.2);
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener("wheel", onWheel);
    };
  }, []);
  const parts = { bench, acts, scale, met, said };
  return (
    <section class="timeline" aria-label={t("strip")}>
      <Tools bench={bench} acts={acts} zooming={zooming} help={help} />
      <div class="strip-view" ref={view}>
        <div class="strip-area">
          <Ruler {...parts} />
          <Lanes {...parts} />
          <Lines {...parts} view={view} />
        </div>
      </div>
      <p class="unseen" role="status">
        {said.value}
      </p>
      {asksKeys.value && (
        <KeysDialog
          onClose={() => {
            asksKeys.value = false;
          }}
        />
      )}
    </section>
  );
}

type ToolsProps = {
  readonly bench: Bench;
  readonly acts: Acts;
  readonly zooming: { by(factor: number): void; fit(): void };
  readonly help: () => void;
};

function Tools({ bench, acts, zooming, help }: ToolsProps) {
  const chosen = chosenItems(bench);
  const isNone = !chosen.some(({ members }) => members.length > 0);
  const isRemovable = !isNone || chosen.some(({ kind }) => kind === "music");
  return (
    <p class="strip-tools">
      <button type="button" class="tool" onClick={acts.split}>
        {t("stripSplit")}
      </button>
      <button type="button" class="tool" disabled={isNone} onClick={acts.duplicate}>
        {t("stripDuplicate")}
      </button>
      <button type="button" class="tool" disabled={isNone} onClick={acts.copy}>
        {t("stripCopy")}
      </button>
      <button type="button" class="tool" disabled={!bench.copied.value} onClick={acts.paste}>
        {t("stripPaste")}
      </button>
      <button type="button" class="tool" disabled={!isRemovable} onClick={acts.remove}>
        {t("remove")}
      </button>
      <span class="strip-zoom">
        <button type="button" class="tool" aria-label={t("stripZoomOut")} onClick={() => zooming.by(1 / 1.5)}>
          −
        </button>
        <button type="button" class="tool" onClick={zooming.fit}>
          {t("stripFit")}
        </button>
        <button type="button" class="tool" aria-label={t("stripZoomIn")} onClick={() => zooming.by(1.5)}>
          +
        </button>
        <button type="button" class="tool" aria-label={t("stripKeys")} aria-keyshortcuts="?" onClick={help}>
          ?
        </button>
      </span>
    </p>
  );
}

/** The times, the beats and the comments; a press or a drag moves the playhead. */
function Ruler({ bench, scale }: View) {
  const seconds = secondsOf(draftOfBench(bench));
  const step = rulerStep(scale.value);
  const times = Array.from({ length: Math.floor(seconds / step + 0.001) + 1 }, (_, at) => at * step);
  const seek = (event: PointerEvent) => {
    const { left } = (event.currentTarget as Element).getBoundingClientRect();
    bench.seek((event.clientX - left) / scale.value);
  };
  return (
    <div class="lane">
      <span class="lane-name" />
      <div
        class="track ruler"
        style={{ width: `${seconds * scale.value}px` }}
        onPointerDown={(event) => {
          if (event.button !== 0 || event.target !== event.currentTarget) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          seek(event);
        }}
        onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && seek(event)}
      >
        {times.map((time) => (
          <span key={time} class="tick" aria-hidden="true" style={{ left: `${time * scale.value}px` }}>
            {timeText(time).replace(/\.0$/, "")}
          </span>
        ))}
        {filmBeats(bench).map((time) => (
          <span key={`beat ${time}`} class="beat" aria-hidden="true" style={{ left: `${time * scale.value}px` }} />
        ))}
        {threadsOf(bench.comments.value).map(({ comment: { id, at, text } }) => (
          <button
            key={id}
            type="button"
            class="mark"
            style={{ left: `${at * scale.value}px` }}
            aria-label={t("stripComment", { time: timeText(at), text })}
            title={text}
            onClick={() => bench.seek(at)}
          />
        ))}
      </div>
    </div>
  );
}

/** The beats of the music, also where it repeats. */
function filmBeats(bench: Bench): readonly number[] {
  const draft = draftOfBench(bench);
  const { audioUrl = "", audio } = draft.editor;
  const whole = secondsOf(draft);
  const length = bench.lengths.value.get(audioUrl) ?? whole;
  const rounds = audio?.loop && length > 0 ? Math.ceil(whole / length) : 1;
  return Array.from({ length: rounds }, (_, round) => bench.beats.value.map((beat) => beat + round * length))
    .flat()
    .filter((beat) => beat < whole);
}

/** Where edges snap: the playhead, cuts, beats, and the edges of bars that stay. */
function snapTimes(bench: Bench, moved: readonly Item[]): readonly number[] {
  const others = itemsIn(bench.lanes.value).filter((item) => !moved.includes(item) && item.kind !== "caption");
  return [0, playhead(bench), ...filmBeats(bench), ...others.flatMap(({ start, end }) => [start, end])];
}

/** What a pointer does on the bars. */
function usePointer({ bench, scale, met, said }: View) {
  const drag = useRef<
    (Drag & { readonly pressed: Item; readonly moved: readonly Item[]; readonly edge: Edge }) | undefined
  >(undefined);
  const itemAt = (target: EventTarget | null) => {
    const key = (target as Element).closest<HTMLElement>(".strip-bar")?.dataset.key;
    return itemsIn(bench.lanes.value).find((item) => item.key === key);
  };
  const cancel = () => {
    drag.current?.end();
    drag.current = undefined;
  };
  const begin = (event: PointerEvent) => {
    const pressed = event.button === 0 ? itemAt(event.target) : undefined;
    if (!pressed) return;
    const { value: keys } = bench.chosen;
    const isChosen = keys.includes(pressed.key);
    if (event.shiftKey || event.ctrlKey || event.metaKey) {
      const next = isChosen ? keys.filter((key) => key !== pressed.key) : [...keys, pressed.key];
      chooseItems(
        bench,
        itemsIn(bench.lanes.value)
          .filter(({ key }) => next.includes(key))
          .toSorted((one, other) => next.indexOf(one.key) - next.indexOf(other.key)),
      );
      return;
    }
    if (pressed.members.length === 0) return chooseItems(bench, [pressed]);
    const edge = (event.target as HTMLElement).dataset.edge as Edge | undefined;
    const chosen = isChosen && !edge && pressed.kind !== "clip" ? chosenItems(bench) : [];
    const others = chosen.filter((item) => item !== pressed && item.kind !== "clip" && item.members.length > 0);
    const moved = [pressed, ...others];
    const area = event.currentTarget as HTMLElement;
    const elements = new Map(
      [...area.querySelectorAll<HTMLElement>(".strip-bar")].map((element) => [element.dataset.key, element]),
    );
    area.setPointerCapture(event.pointerId);
    const shown = moved.flatMap((item) => {
      const element = elements.get(item.key);
      return element ? [{ item, element }] : [];
    });
    const { fps } = draftOfBench(bench).editor.exportSettings;
    const onMeet = (at: number | undefined) => {
      met.value = at;
    };
    const times = snapTimes(bench, moved).toSorted((one, other) => one - other);
    const started = beginDrag({ shown, edge, x: event.clientX, scale: scale.value, fps, times, onMeet });
    drag.current = { ...started, pressed, moved, edge: edge ?? "start" };
  };
  const move = (event: PointerEvent) => drag.current?.move(event.clientX, !event.altKey);
  const end = () => {
    const { current } = drag;
    drag.current = undefined;
    const result = current?.end();
    if (!current) return;
    const { pressed, moved, edge } = current;
    // only now, because the panel that it shows is slower than a frame
    if (!bench.chosen.value.includes(pressed.key)) chooseItems(bench, [pressed]);
    if (!result) return;
    const context = contextOf(bench);
    bench.session.change((draft) => {
      if ("to" in result) return trimItem(draft, pressed, edge, result.to, context);
      const [member] = pressed.members;
      return member?.kind === "clip"
        ? placeClip(draft, member.id, result.by)
        : moveItems(draft, moved, result.by, context);
    });
    const after = itemsIn(bench.lanes.value).find(({ key }) => key === pressed.key);
    if (after) said.value = labelOf(after);
  };
  return { itemAt, begin, move, end, cancel };
}

const labelOf = (item: Item): string =>
  t("stripBar", { name: nameOf(item), from: timeText(item.start), to: timeText(item.end) });

/** The bars, which keys reach like a list: up and down go through them. */
function Lanes(view: View) {
  const { bench, scale } = view;
  const { itemAt, begin, move, end, cancel } = usePointer(view);
  const focused = useSignal<string | undefined>(undefined);
  const lanes = bench.lanes.value;
  const all = itemsIn(lanes);
  const { value: chosen } = bench.chosen;
  const current = all.find(({ key }) => key === focused.value) ?? all.find(({ key }) => chosen.includes(key)) ?? all[0];
  const onKey = (event: KeyboardEvent) => {
    const item = itemAt(event.target);
    if (event.key === "Escape") {
      cancel();
      bench.chosen.value = [];
    }
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!item || !step) return;
    event.preventDefault();
    const next = all[all.indexOf(item) + step];
    if (!next) return;
    const area = event.currentTarget as HTMLElement;
    [...area.querySelectorAll<HTMLElement>(".strip-bar")].find(({ dataset }) => dataset.key === next.key)?.focus();
    if (event.shiftKey) bench.chosen.value = [...new Set([...chosen, item.key, next.key])];
  };
  const onClick = (event: MouseEvent) => {
    const item = itemAt(event.target);
    // a pointer has chosen already
    if (item && event.detail === 0) chooseItems(bench, [item]);
    const now = playhead(bench);
    if (item && !event.shiftKey && (now < item.start || now >= item.end))
      bench.seek(Math.min(item.start + 0.5, (item.start + item.end) / 2));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the bars are buttons, whose events bubble
    <div
      class="lanes"
      onPointerDown={begin}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={cancel}
      onKeyDown={onKey}
      onClick={onClick}
      onFocusIn={(event) => {
        focused.value = itemAt(event.target)?.key;
      }}
    >
      {lanes.map(({ kind, rows }) => (
        <fieldset key={kind} class="lane" data-lane={kind}>
          <legend class="unseen">{t(laneWords[kind])}</legend>
          <span class="lane-name" aria-hidden="true">
            {t(laneWords[kind])}
          </span>
          <div class="track" style={{ height: `${rows.length * rowHeights[kind]}rem` }}>
            {rows.flatMap((row, at) =>
              row.map((item) => (
                <Bar
                  key={item.key}
                  item={item}
                  scale={scale.value}
                  top={at * rowHeights[kind]}
                  isChosen={chosen.includes(item.key)}
                  isCurrent={item === current}
                />
              )),
            )}
            {kind === "overlay" &&
              rows.flatMap((row, at) =>
                row
                  .filter(({ key }) => chosen.includes(key))
                  .map((item) => (
                    <Diamonds
                      key={item.key}
                      bench={bench}
                      item={item}
                      scale={scale.value}
                      top={at * rowHeights[kind]}
                    />
                  )),
              )}
          </div>
        </fieldset>
      ))}
    </div>
  );
}

type BarProps = {
  readonly item: Item;
  readonly scale: number;
  readonly top: number;
  readonly isChosen: boolean;
  readonly isCurrent: boolean;
};

function Bar({ item, scale, top, isChosen, isCurrent }: BarProps) {
  const { key, kind, start, end, members, marks } = item;
  return (
    <button
      type="button"
      class="strip-bar"
      data-key={key}
      data-kind={kind}
      aria-pressed={isChosen}
      aria-label={labelOf(item)}
      tabIndex={isCurrent ? 0 : -1}
      style={{ left: `${start * scale}px`, width: `${Math.max(3, (end - start) * scale)}px`, top: `${top}rem` }}
    >
      {item.url && <Wave item={item} scale={scale} />}
      {marks ? (
        <Words item={item} marks={marks} scale={scale} />
      ) : (
        <span class="strip-name" dir="auto">
          {nameOf(item)}
        </span>
      )}
      {members.length > 0 && (
        <>
          <span class="grip" data-edge="start" />
          <span class="grip" data-edge="end" />
        </>
      )}
    </button>
  );
}

type DiamondsProps = Pick<BarProps, "item" | "scale" | "top"> & { readonly bench: Bench };

/** The keys of the overlays of a bar, which are dragged, and moved and removed by keys. */
function Diamonds({ bench, item, scale, top }: DiamondsProps) {
  const dragged = useSignal<{ readonly key: string; readonly from: number; readonly by: number } | undefined>(
    undefined,
  );
  const names = new Set(item.members.map(memberKey));
  const { fps } = draftOfBench(bench).editor.exportSettings;
  const toFrame = (time: number) => Math.round(time * fps) / fps;
  return (
    <>
      {overlaysOf(draftOfBench(bench))
        .filter((placed) => names.has(memberKey(placed)))
        .flatMap((placed) =>
          keyTimes(placed).map((time, index) => {
            const key = `${memberKey(placed)} ${index}`;
            const by = dragged.value?.key === key ? dragged.value.by : 0;
            const move = (to: number) => bench.session.change((draft) => moveKey(draft, placed, time, toFrame(to)));
            return (
              <button
                key={key}
                type="button"
                class="strip-key"
                aria-label={t("keyAt", { time: timeText(time) })}
                style={{ left: `${(time + by) * scale}px`, top: `${top}rem` }}
                onClick={() => bench.seek(time)}
                onPointerDown={(event) => {
                  event.currentTarget.setPointerCapture(event.pointerId);
                  dragged.value = { key, from: event.clientX, by: 0 };
                }}
                onPointerMove={({ clientX }) => {
                  const { value } = dragged;
                  if (value?.key === key) dragged.value = { ...value, by: (clientX - value.from) / scale };
                }}
                onPointerUp={() => {
                  dragged.value = undefined;
                  if (Math.abs(by * scale) > 2) move(time + by);
                }}
                onPointerCancel={() => {
                  dragged.value = undefined;
                }}
                onKeyDown={(event) => {
                  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
                  if (!step && event.key !== "Delete" && event.key !== "Backspace") return;
                  event.preventDefault();
                  if (step) return move(time + (step * (event.shiftKey ? 10 : 1)) / fps);
                  bench.session.change((draft) => removeKey(draft, placed, time));
                }}
              />
            );
          }),
        )}
    </>
  );
}

/** The words of a caption, each where it is spoken. */
function Words({ item: { start, end, name }, marks, scale }: { item: Item; marks: readonly number[]; scale: number }) {
  return (
    <>
      {name.split(/\s+/).map((word, at) => {
        const [from = start, to = end] = [marks[at], marks[at + 1]];
        const style = { left: `${(from - start) * scale}px`, width: `${Math.max(0, to - from) * scale}px` };
        return (
          <span key={at} class="strip-word" style={style}>
            {`${word} `}
          </span>
        );
      })}
    </>
  );
}

/** The wave of a sound, as often as it is heard. */
function Wave({ item, scale }: { item: Item; scale: number }) {
  const { start, end, url, cutFrom = 0, speed = 1, repeats } = item;
  const wave = waveOf(url);
  const path = useMemo(() => wave && pathOf(wave.peaks), [wave]);
  if (!wave || !path) return null;
  const length = (wave.seconds - cutFrom) / speed;
  const rounds = repeats && length > 0.1 ? Math.min(100, Math.ceil((end - start) / length)) : 1;
  const from = (cutFrom / wave.seconds) * wave.peaks.length;
  return (
    <>
      {Array.from({ length: rounds }, (_, round) => (
        <svg
          key={round}
          class="strip-wave"
          aria-hidden="true"
          viewBox={`${from} -1 ${wave.peaks.length - from} 2`}
          preserveAspectRatio="none"
          style={{ left: `${round * length * scale}px`, width: `${length * scale}px` }}
        >
          <path d={path} />
        </svg>
      ))}
    </>
  );
}

/** Along the highest samples, and back along the lowest. */
function pathOf(peaks: readonly (readonly number[])[]): string {
  const line = (index: 0 | 1) => peaks.map((peak, at) => `${at},${(-(peak[index] ?? 0)).toFixed(2)}`);
  return `M${[...line(1), ...line(0).toReversed()].join("L")}Z`;
}

type LinesProps = View & { readonly view: RefObject<HTMLDivElement | null> };

/** The playhead over the bars, and the time that a dragged edge meets. */
function Lines({ bench, scale, met, view }: LinesProps) {
  const line = useRef<HTMLSpanElement>(null);
  const now = playhead(bench);
  const isPlaying = bench.isPlaying.value;
  const show = (seconds: number) => {
    if (line.current) line.current.style.transform = `translateX(${seconds * scale.value}px)`;
  };
  useEffect(() => {
    if (isPlaying) return;
    show(now);
    keepSeen(view.current, now * scale.value);
  }, [now, scale.value, isPlaying]);
  useEffect(() => {
    if (!isPlaying) return;
    let request = 0;
    const follow = () => {
      const seconds = bench.video.current?.currentTime ?? playhead(bench);
      show(seconds);
      keepSeen(view.current, seconds * scale.value);
      request = requestAnimationFrame(follow);
    };
    follow();
    return () => cancelAnimationFrame(request);
  }, [isPlaying]);
  return (
    <div class="lane lane-over" aria-hidden="true">
      <span class="lane-name" />
      <div class="track">
        <span class="strip-playhead" ref={line} />
        {met.value !== undefined && <span class="strip-met" style={{ left: `${met.value * scale.value}px` }} />}
      </div>
    </div>
  );
}

/** Scrolls to a place that is out of sight. */
function keepSeen(view: HTMLElement | null, x: number): void {
  if (!view) return;
  const head = view.querySelector<HTMLElement>(".lane-name")?.offsetWidth ?? 0;
  const room = view.clientWidth - head;
  if (x >= view.scrollLeft - 1 && x <= view.scrollLeft + room) return;
  view.scrollLeft = Math.max(0, x - room / 4);
}
