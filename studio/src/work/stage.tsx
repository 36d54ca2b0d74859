import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { ApiError, api, type ExportRequest, type Target, unwrap } from "../api.ts";
import { droppable } from "../parts/file-button.tsx";
import { Failure } from "../parts/loaded.tsx";
import { Player } from "../player/player.tsx";
import type { LoadPreview } from "../player/stream.ts";
import { t, timeText } from "../words.ts";
import { type Bench, draftOfBench, lastMoment, ownFormat, playhead } from "./bench.ts";
import { clipsOf, secondsOf } from "./draft.ts";
import { addFiles } from "./dropped.ts";
import { Frame } from "./frame.tsx";
import { requestOf } from "./request.ts";
import { TextBoxes } from "./text-boxes.tsx";

/** While a person types, playing waits. */
const playAfterMs = 250;
const againAfterMs = 3_000;

/** Loads a preview. Waits while the service is busy or unreachable; a failing edit keeps the previous one. */
function previewOf(
  request: ExportRequest,
  target: Target | undefined,
  { isCurrent, onFailure }: { readonly isCurrent: () => boolean; readonly onFailure: (error: unknown) => void },
): LoadPreview {
  return async (quality) => {
    for (;;) {
      try {
        const preview = await unwrap(
          api.export.preview.$post({ json: request, query: { quality, ...(target && { target }) } }),
        );
        onFailure(undefined);
        return preview;
      } catch (error) {
        onFailure(error);
        const isAway = error instanceof TypeError || (error instanceof ApiError && error.status >= 500);
        if (!isAway || !isCurrent()) throw error;
        await new Promise((resolve) => setTimeout(resolve, againAfterMs));
      }
    }
  };
}

type StageProps = {
  readonly bench: Bench;
  /** While words are edited, a frame of the service shows them earlier than the player. */
  readonly showsFrame: boolean;
  /** Shows boxes of the texts. */
  readonly showsTexts: boolean;
};

/** The film and its playhead. While texts are positioned, a frame of the service with their boxes lies over it. */
export function Stage({ bench, showsFrame, showsTexts }: StageProps) {
  const { session, ids, at, isPlaying, target, video } = bench;
  const draft = draftOfBench(bench);
  const box = useRef<HTMLDivElement>(null);
  const failure = useSignal<unknown>(undefined);
  const shown = showsFrame ? undefined : target.value;
  const text = `${JSON.stringify(requestOf(draft, ids))} ${session.version.value}`;
  const played = useSignal(text);
  const newest = useRef(text);
  newest.current = text;
  useEffect(() => {
    const timer = setTimeout(() => {
      played.value = newest.current;
    }, playAfterMs);
    return () => clearTimeout(timer);
  }, [text]);
  const load = useMemo(() => {
    const own = played.value;
    return previewOf(requestOf(draftOfBench(bench), ids), shown, {
      isCurrent: () => played.value === own,
      onFailure: (error) => {
        failure.value = error;
      },
    });
  }, [played.value, shown]);

  useEffect(() => {
    const element = box.current!; // safe because it is rendered
    const find = () => {
      const found = element.querySelector("video") ?? undefined;
      if (found === video.current) return;
      video.current = found;
      if (!found) return;
      // the page has its own controls, which stay while boxes lie over the film
      found.controls = false;
      found.currentTime = at.value;
    };
    const note = ({ type, target: from }: Event) => {
      if (!(from instanceof HTMLVideoElement)) return;
      const { fps } = draftOfBench(bench).editor.exportSettings;
      isPlaying.value = !from.paused && !from.ended;
      if (type === "timeupdate" && from.readyState > 0 && !from.seeking)
        at.value = Math.min(Math.floor(from.currentTime * fps + 0.01) / fps, lastMoment(draftOfBench(bench)));
    };
    const observer = new MutationObserver(find);
    observer.observe(element, { childList: true, subtree: true });
    find();
    const events = ["timeupdate", "play", "pause", "ended"];
    // events of media do not bubble
    for (const name of events) element.addEventListener(name, note, true);
    return () => {
      observer.disconnect();
      video.current = undefined;
      isPlaying.value = false;
      for (const name of events) element.removeEventListener(name, note, true);
    };
  }, []);

  const drop = (files: readonly File[]) => {
    failure.value = undefined;
    addFiles(bench, files).catch((error: unknown) => {
      failure.value = error;
    });
  };
  const format = shown ?? ownFormat(draft);
  const frameAt = (seconds: number) =>
    `/api/projects/${ids.projectId}/works/${ids.workId}/frame?t=${seconds}&maxSide=960`;
  // the saved film, until its parts play
  const poster = useMemo(() => playhead(bench), []);
  const { width, height } = draft.editor.exportSettings;
  const request = requestOf(draft, ids);
  return (
    <section class="work-stage" aria-label={t("workFilm")} data-wide={width > height && !shown ? "" : undefined}>
      <div class="picture-room" {...droppable(drop)}>
        <div class="picture" ref={box} style={{ "--ratio": ratioOf(shown, { width, height }) }}>
          <Player
            key={shown}
            name={session.work.value.name}
            format={format}
            load={load}
            isChanging={text !== played.value}
            poster={frameAt(poster)}
            frame={frameAt}
          />
          {showsFrame && !isPlaying.value && (
            <div class="picture-now">
              <Frame
                {...{ request, version: session.version.value }}
                seconds={playhead(bench)}
                maxSide={960}
                alt={t("workFrameAt", { time: timeText(playhead(bench)) })}
              />
              {showsTexts && <TextBoxes bench={bench} />}
            </div>
          )}
        </div>
      </div>
      <Transport bench={bench} />
      <Failure of={failure.value} />
    </section>
  );
}

/** Width by height. */
function ratioOf(shown: Target | undefined, { width, height }: { readonly width: number; readonly height: number }) {
  const [across = width, down = height] = shown?.split(":").map(Number) ?? [];
  return across / down;
}

function Transport({ bench }: { bench: Bench }) {
  const { isPlaying, video } = bench;
  const isMuted = useSignal(false);
  const draft = draftOfBench(bench);
  const end = lastMoment(draft);
  const now = playhead(bench);
  const scene = clipsOf(draft).findLastIndex(({ start }) => start <= now + 0.001) + 1;
  const toggle = () => {
    const element = video.current;
    if (!element) return;
    if (isPlaying.value) element.pause();
    else void element.play().catch(() => {});
  };
  return (
    <div class="transport">
      <button type="button" class="small" onClick={toggle} data-playing={isPlaying.value ? "" : undefined}>
        <span class="icon-play" aria-hidden="true" />
        <span class="unseen">{t(isPlaying.value ? "workPause" : "workPlay")}</span>
      </button>
      <input
        type="range"
        min="0"
        max={end}
        step={1 / draft.editor.exportSettings.fps}
        value={now}
        aria-label={t("playhead")}
        aria-valuetext={t("workPlayheadAt", { time: timeText(now), number: scene })}
        onInput={({ currentTarget }) => bench.seek(Number(currentTarget.value))}
        onKeyDown={(event) => {
          if (event.key !== " ") return;
          event.preventDefault();
          toggle();
        }}
      />
      <span class="time" dir="ltr" aria-hidden="true">
        {timeText(now)} / {timeText(secondsOf(draft))}
      </span>
      <button
        type="button"
        class="plain"
        aria-pressed={isMuted.value}
        onClick={() => {
          isMuted.value = !isMuted.value;
          if (video.current) video.current.muted = isMuted.value;
        }}
      >
        {t("workMute")}
      </button>
    </div>
  );
}
