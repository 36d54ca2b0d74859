import type { Applied } from "./client.ts";

export type TrackItem = { readonly id: string; start: number; end: number };

/** Trim and transition as a person who has touched neither leaves them. */
export type Clip = TrackItem & {
  readonly sceneIndex: number;
  readonly trimStart: number;
  readonly trimEnd: number;
  transitionType: string;
  readonly transitionDuration: number;
};

type TextOverlay = { text: string; fontSize: number; fontColor: string; centerX: number; centerY: number };

type ImageOverlay = {
  assetId: string;
  width: number;
  height: number;
  centerX: number;
  centerY: number;
  opacity: number;
  rotation: number;
  maintainAspectRatio: boolean;
};

export type Overlays = {
  readonly textOverlays: Record<string, TextOverlay>;
  readonly imageOverlays: Record<string, ImageOverlay>;
};

type Size = { readonly width: number; readonly height: number };

/** The tracks and overlays of an editor's page. */
export class Timeline {
  clips: Clip[] = [];
  texts: TrackItem[] = [];
  images: TrackItem[] = [];
  textOverlays: Record<string, TextOverlay> = {};
  imageOverlays: Record<string, ImageOverlay> = {};

  // biome-ignore lint/suspicious/noExplicitAny: an editor trusts what it saved
  static load(saved: any): Timeline {
    const timeline = new Timeline();
    if (!saved) return timeline;
    const { videoTrack, textTrack, imageTrack } = saved.editorData;
    const { textOverlays, imageOverlays } = saved;
    return Object.assign(timeline, {
      clips: videoTrack,
      texts: textTrack,
      images: imageTrack,
      textOverlays,
      imageOverlays,
    });
  }

  saved() {
    const editorData = { videoTrack: this.clips, textTrack: this.texts, imageTrack: this.images, audioTrack: [] };
    const { textOverlays, imageOverlays } = this;
    return { editorData, textOverlays, imageOverlays, audioVolume: 1 };
  }

  get seconds(): number {
    return Math.max(...this.clips.map(({ end }) => end));
  }

  placeClips(scenes: readonly { readonly sceneIndex: number; readonly seconds: number }[]): void {
    let start = 0;
    this.clips = scenes.map(({ sceneIndex, seconds }) => {
      const clip = { id: `clip-${sceneIndex}`, start, end: start + seconds, sceneIndex, trimStart: 0, trimEnd: 0 };
      start = clip.end;
      return { ...clip, transitionType: "cut", transitionDuration: 0 };
    });
  }

  /** The first text of every film gets the id text-1. */
  addText(overlay: TextOverlay, start: number, end: number): string {
    const id = `text-${this.texts.length + 1}`;
    this.textOverlays = { ...this.textOverlays, [id]: overlay };
    this.texts = [...this.texts, { id, start, end }];
    return id;
  }

  addImage(overlay: ImageOverlay, start: number, end: number): string {
    const id = `image-${this.images.length + 1}`;
    this.imageOverlays = { ...this.imageOverlays, [id]: overlay };
    this.images = [...this.images, { id, start, end }];
    return id;
  }

  /** A template as the editor makes it of its overlays: percents of the film, also beyond its end. */
  toTemplate() {
    const percents = ({ start, end }: TrackItem) => ({
      timingMode: "relative",
      startPercent: (start / this.seconds) * 100,
      endPercent: (end / this.seconds) * 100,
    });
    return {
      textOverlays: this.texts.map((item) => ({ id: item.id, ...this.textOverlays[item.id], ...percents(item) })),
      imageOverlays: this.images.map((item) => ({ id: item.id, ...this.imageOverlays[item.id], ...percents(item) })),
    };
  }

  /** Overlays replace those of the same id, but the tracks get every action again. */
  merge({ textOverlays, imageOverlays, textTrackActions, imageTrackActions }: Applied): void {
    this.textOverlays = { ...this.textOverlays, ...textOverlays };
    this.imageOverlays = { ...this.imageOverlays, ...imageOverlays };
    this.texts = [...this.texts, ...textTrackActions];
    this.images = [...this.images, ...imageTrackActions];
  }

  /** Images are placed by their corner, texts by their centre. */
  exportRequest(options: Size & { readonly fps: number }) {
    const clips = this.clips.map(({ sceneIndex, start, end, trimStart, transitionType, transitionDuration }) => ({
      sceneIndex,
      position: start,
      end,
      cutFrom: trimStart,
      transition: transitionType,
      transitionDuration,
    }));
    const texts = this.texts.map(({ id, start, end }) => ({ ...this.textOverlays[id]!, position: start, end }));
    const images = this.images.map(({ id, start, end }) => {
      const { centerX, centerY, maintainAspectRatio: _, ...overlay } = this.imageOverlays[id]!;
      const x = Math.round(options.width / 2 - overlay.width / 2 + centerX);
      const y = Math.round(options.height / 2 - overlay.height / 2 + centerY);
      return { ...overlay, position: start, end, x, y };
    });
    return { clips, texts, images, options };
  }
}
