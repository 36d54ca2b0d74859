import { type Bench, playhead } from "../work/bench.ts";

const fastest = 4;
const backEveryMs = 120;

/** Playing by keys: J back, K pause, L forward; each further press is faster. */
export function shuttleOf(bench: Bench) {
  let back: ReturnType<typeof setInterval> | undefined;
  let speed = 1;
  const stopBack = () => {
    clearInterval(back);
    back = undefined;
  };
  const pause = () => {
    stopBack();
    bench.video.current?.pause();
  };
  const play = () => {
    stopBack();
    speed = 1;
    const { current } = bench.video;
    if (!current) return;
    current.playbackRate = 1;
    void current.play().catch(() => {});
  };
  return {
    pause,
    toggle: () => (bench.isPlaying.value || back !== undefined ? pause() : play()),
    forward() {
      const { current } = bench.video;
      if (!bench.isPlaying.value || !current) return play();
      current.playbackRate = Math.min(fastest, current.playbackRate * 2);
    },
    back() {
      speed = back === undefined ? 1 : Math.min(fastest, speed * 2);
      pause();
      // players cannot play backwards: frames are sought
      back = setInterval(() => {
        const to = playhead(bench) - (speed * backEveryMs) / 1000;
        bench.seek(to);
        if (to <= 0) stopBack();
      }, backEveryMs);
    },
    close: stopBack,
  };
}

export type Shuttle = ReturnType<typeof shuttleOf>;
