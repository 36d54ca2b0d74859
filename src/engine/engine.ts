import type { LeasePorts } from "../platform/leases.ts";
import { type CpuBudget, cpuBudget } from "../platform/limits/cpu-budget.ts";
import { ffmpegFocusFinder } from "./analysis/focus-finder.ts";
import { ffmpegSoundMeter } from "./analysis/sound-meter.ts";
import { ffmpegVideoAnalyzer } from "./analysis/video-analyzer.ts";
import { ffmpegVideoMeter } from "./analysis/video-meter.ts";
import { type Ffmpeg, segmentDecoder } from "./ffmpeg/ffmpeg.ts";
import { ffmpegFrameRenderer } from "./frames/renderer.ts";
import { ffmpegInspector } from "./inspect/inspect.ts";
import type {
  FileStore,
  FocusFinder,
  FrameRenderer,
  Inspector,
  MoveDrawer,
  Previewer,
  RenderCache,
  Renderer,
  RenderTelemetry,
  SoundMeter,
  SoundTools,
  TemplateDrawer,
  TextMeasurer,
  VideoAnalyzer,
  VideoMeter,
} from "./ports.ts";
import { noProxies, proxyBuilder } from "./proxies/build.ts";
import { halfSizeProxies } from "./proxies/half-size.ts";
import { ffmpegRenderer } from "./render/renderer.ts";
import { type TaskPool, taskPool } from "./sandbox/task-pool.ts";
import { ffmpegSoundTools } from "./speech/sound-tools.ts";
import { textMeasurer } from "./text/measurer.ts";
import { moveDrawer } from "./thumbnails/move-drawer.ts";
import { templateDrawer } from "./thumbnails/template-drawer.ts";

/** The surroundings that the engine needs. */
export type EngineOptions = {
  readonly ffmpeg: Ffmpeg;
  readonly files: FileStore;
  readonly leases: LeasePorts["leases"];
  readonly caches: {
    /** The cache of segments, sounds and measured focus. */
    readonly segments: RenderCache;
    /** Replaces `segments` for exports, to count their parts. Default: `segments`. */
    readonly exports?: RenderCache;
    /** The cache of frames and images; a separate one, so that requests for frames evict no segments. */
    readonly frames: RenderCache;
    /** The cache of half-size copies of videos, for drafts and previews. Default: no copies. */
    readonly proxies?: RenderCache;
  };
  /** The maximum number of ffmpeg processes per job. */
  readonly concurrency: number;
  readonly cpu?: CpuBudget;
  /** The sandboxed processes that open files and draw. */
  readonly canvas?: TaskPool;
  readonly telemetry?: RenderTelemetry;
  /** The version of the program that renders, as manifests name it. */
  readonly version?: string;
  readonly onProxyFailure?: ((error: unknown) => void) | undefined;
};

/** Renders timelines, draws frames, inspects and measures files. */
export type Engine = {
  readonly renderer: Renderer;
  readonly previewer: Previewer;
  readonly frameRenderer: FrameRenderer;
  readonly inspector: Inspector;
  readonly textMeasurer: TextMeasurer;
  readonly focusFinder: FocusFinder;
  readonly videoMeter: VideoMeter;
  readonly videoAnalyzer: VideoAnalyzer;
  readonly soundTools: SoundTools;
  readonly soundMeter: SoundMeter;
  readonly templateDrawer: TemplateDrawer;
  readonly moveDrawer: MoveDrawer;
};

export function createEngine(options: EngineOptions): Engine {
  const { ffmpeg, files, leases, caches, concurrency, cpu = cpuBudget(concurrency) } = options;
  const { canvas = taskPool({ cpu, makeFolder: files.jobFolder }), telemetry, version, onProxyFailure } = options;
  const { segments, exports = segments, frames, proxies: proxyCache } = caches;
  const proxies = proxyCache
    ? proxyBuilder({ kind: halfSizeProxies(ffmpeg), files, cache: proxyCache, ffmpeg, cpu, onFailure: onProxyFailure })
    : noProxies;
  const parts = { ffmpeg, files, canvas, cpu };
  const { previewer, ...renderer } = ffmpegRenderer({
    ...{ ...parts, concurrency, leases, proxies, cache: exports, previewCache: segments, imageCache: frames },
    ...(telemetry && { telemetry }),
    ...(version !== undefined && { version }),
  });
  return {
    renderer,
    previewer,
    frameRenderer: ffmpegFrameRenderer({
      ...{ ...parts, concurrency, proxies, segmentCache: segments, frameCache: frames },
      segmentDecoder: segmentDecoder(ffmpeg),
    }),
    inspector: ffmpegInspector({ ...parts, makeFolder: files.jobFolder }),
    textMeasurer: textMeasurer(parts),
    focusFinder: ffmpegFocusFinder({ ...parts, leases, cache: segments }),
    videoMeter: ffmpegVideoMeter(parts),
    videoAnalyzer: ffmpegVideoAnalyzer(parts),
    soundTools: ffmpegSoundTools(parts),
    soundMeter: ffmpegSoundMeter({ ...parts, leases, cache: segments }),
    templateDrawer: templateDrawer({ ...parts, cache: frames }),
    moveDrawer: moveDrawer({ ...parts, cache: frames }),
  };
}
