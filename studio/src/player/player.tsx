import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../words.ts";
import { canStream, type LoadPreview, openStream } from "./stream.ts";

type PlayerProps = {
  readonly name: string;
  readonly format?: string | undefined;
  readonly poster?: string | undefined;
  readonly load: LoadPreview;
  /** The exported video, for browsers that play no parts; without one they are shown frames. */
  readonly file?: string | undefined;
  /** The address of a frame as an image. */
  readonly frame?: ((seconds: number) => string) | undefined;
};

/** Plays a film from the parts that its export joins. Another `load` shows another version of it. */
export function Player({ name, format, poster, load, file, frame }: PlayerProps) {
  const video = useRef<HTMLVideoElement>(null);
  const stream = useRef<ReturnType<typeof openStream> | undefined>(undefined);
  const isDraft = useSignal(false);
  const seconds = useSignal<number | undefined>(undefined);
  const isPlain = useSignal(false);

  const giveUp = () => {
    stream.current?.close();
    stream.current = undefined;
    isDraft.value = false;
    isPlain.value = true;
  };
  useEffect(() => {
    let isLeft = false;
    const open = async () => {
      const preview = await load("standard");
      seconds.value = preview.durationSeconds;
      if (isLeft || isPlain.value || !video.current) return;
      if (!canStream(preview)) return giveUp();
      stream.current ??= openStream(video.current, {
        onQuality: (quality) => {
          isDraft.value = quality === "draft";
        },
        onFailure: giveUp,
      });
      // it was loaded just now
      const loadOnce: LoadPreview = (quality) => (quality === "standard" ? Promise.resolve(preview) : load(quality));
      await stream.current.show(loadOnce, load);
    };
    void open().catch(() => {
      if (!isLeft) giveUp();
    });
    return () => {
      isLeft = true;
    };
  }, [load]);
  useEffect(() => () => stream.current?.close(), []);

  if (isPlain.value && !file && frame)
    return <Frames name={name} format={format} seconds={seconds.value} frame={frame} />;
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
  readonly seconds: number | undefined;
  readonly frame: (seconds: number) => string;
};

/** One frame after another, where nothing plays. */
function Frames({ name, format, seconds = 0, frame }: FramesProps) {
  const at = useSignal(0);
  return (
    <div class="stage">
      <img class="screen" data-format={format} src={frame(at.value)} alt={name} />
      <input
        type="range"
        min="0"
        max={Math.max(0, seconds - 0.01)}
        step="0.04"
        value={at.value}
        aria-label={t("playhead")}
        onChange={(event) => {
          at.value = Number(event.currentTarget.value);
        }}
      />
    </div>
  );
}
