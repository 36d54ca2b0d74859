import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Preview } from "../api.ts";
import { t, timeText } from "../words.ts";
import { canStream, type LoadPreview, openStream } from "./stream.ts";

type PlayerProps = {
  readonly name: string;
  readonly format?: string | undefined;
  readonly poster?: string | undefined;
  readonly load: LoadPreview;
  /** Another `load` will follow soon. */
  readonly isChanging?: boolean;
  /** The exported video, for browsers that cannot play parts; without it they show frames. */
  readonly file?: string | undefined;
  /** The URL of a frame as an image. */
  readonly frame?: ((seconds: number) => string) | undefined;
};

/** Plays a film from the parts that its export joins. Another `load` shows another version. */
export function Player({ name, format, poster, load, isChanging, file, frame }: PlayerProps) {
  const video = useRef<HTMLVideoElement>(null);
  const stream = useRef<ReturnType<typeof openStream> | undefined>(undefined);
  const isDraft = useSignal(false);
  const plan = useSignal<Preview | undefined>(undefined);
  const isPlain = useSignal(false);

  const giveUp = () => {
    stream.current?.close();
    stream.current = undefined;
    isDraft.value = false;
    isPlain.value = true;
  };
  const opened = useRef<LoadPreview | undefined>(undefined);
  useEffect(() => {
    if (isChanging) return stream.current?.hold();
    if (opened.current === load) return stream.current?.resume();
    opened.current = load;
    const isLeft = () => opened.current !== load;
    const open = async () => {
      if (stream.current) return await stream.current.show(load);
      const preview = await load("standard");
      plan.value = preview;
      if (isLeft() || isPlain.value || !video.current) return;
      if (!canStream(preview)) return giveUp();
      stream.current = openStream(video.current, {
        onQuality: (quality) => {
          isDraft.value = quality === "draft";
        },
        onFailure: giveUp,
      });
      await stream.current.show(load, preview);
    };
    // without a file to play, the next version may be playable
    void open().catch(() => {
      if (file && !isLeft()) giveUp();
    });
  }, [load, isChanging]);
  useEffect(
    () => () => {
      opened.current = undefined;
      stream.current?.close();
    },
    [],
  );

  if (isPlain.value && !file && frame && plan.value)
    return <Frames name={name} format={format} plan={plan.value} frame={frame} />;
  return (
    <div class="stage">
      <video
        key={isPlain.value ? "file" : "parts"}
        ref={video}
        class="screen"
        data-format={format}
        poster={poster}
        aria-label={name}
        controls
        playsInline
        preload="metadata"
        {...(isPlain.value && { src: file })}
      />
      <p class="badge" role="status" hidden={!isDraft.value}>
        {isDraft.value ? t("draft") : ""}
      </p>
    </div>
  );
}

type FramesProps = Pick<PlayerProps, "name" | "format"> & {
  readonly plan: Preview;
  readonly frame: (seconds: number) => string;
};

/** Shows single frames where nothing can be played. */
function Frames({ name, format, plan: { fps, frames }, frame }: FramesProps) {
  /** The playhead, and the frame that is shown or loading: the service draws one at a time. */
  const at = useSignal(0);
  const seen = useSignal(0);
  const isDrawing = useRef(true);
  const show = () => {
    isDrawing.current = seen.value !== at.value;
    seen.value = at.value;
  };
  const move = (to: number) => {
    at.value = Math.min(Math.max(0, to), frames - 1);
    if (!isDrawing.current) show();
  };
  const time = timeText(at.value / fps);
  return (
    <div class="stage">
      <img
        class="screen"
        data-format={format}
        // at the edge of a frame, rounding would decide
        src={frame((seen.value + 0.5) / fps)}
        alt={name}
        onLoad={show}
        onError={show}
      />
      <div class="frames">
        <button type="button" class="plain" onClick={() => move(at.value - 1)}>
          {t("frameBack")}
        </button>
        <span>{time}</span>
        <button type="button" class="plain" onClick={() => move(at.value + 1)}>
          {t("frameForward")}
        </button>
      </div>
      <input
        type="range"
        min="0"
        max={frames - 1}
        value={at.value}
        aria-label={t("playhead")}
        aria-valuetext={time}
        onInput={(event) => move(Number(event.currentTarget.value))}
      />
    </div>
  );
}
