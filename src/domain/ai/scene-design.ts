/** The page that the local model draws as the picture of a scene. */
export type SceneDesign = {
  readonly html: string;
  readonly css: string;
  /** The strength of the noise over it, 0..1. */
  readonly grain: number;
};
