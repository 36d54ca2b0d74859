import type { TransitionKind } from "../../../engine/timeline/track.ts";

type Known = { readonly kind: TransitionKind; readonly isSame?: boolean };

const same = (kind: TransitionKind): Known => ({ kind, isSame: true });
const like = (kind: TransitionKind): Known => ({ kind });

/** The transitions of GL Transitions and of editly, in lower case, as ours: only some are the same. */
const transitions: Readonly<Record<string, Known>> = {
  dummy: same("cut"),
  fade: same("fade"),
  "directional-left": same("push-left"),
  "directional-right": same("push-right"),
  "directional-up": same("push-up"),
  "directional-down": same("push-down"),
  wipeleft: same("wipeleft"),
  wiperight: same("wiperight"),
  wipeup: same("wipeup"),
  wipedown: same("wipedown"),
  circleopen: same("circleopen"),
  random: like("fade"),
  directional: like("push-up"),
  "directional-easing": like("push-up"),
  directionalwarp: like("wipeleft"),
  directionalwipe: like("wipeleft"),
  circle: like("circle-close"),
  circlecrop: like("circle-close"),
  ripple: like("dissolve"),
  waterdrop: like("circleopen"),
  fadecolor: like("fadeblack"),
  fadegrayscale: like("fade"),
  burn: like("fadewhite"),
  colourdistance: like("fade"),
  colorphase: like("dissolve"),
  luminance_melt: like("dissolve"),
  luma: like("dissolve"),
  morph: like("fade"),
  multiply_blend: like("fade"),
  overexposure: like("flash"),
  crosszoom: like("zoom"),
  simplezoom: like("zoom"),
  dreamyzoom: like("zoom"),
  zoomincircles: like("zoom"),
  inverteddreamyzoom: like("zoom"),
  heart: like("circleopen"),
  angular: like("diagonal"),
  radial: like("diagonal"),
  swap: like("push-left"),
  cube: like("push-left"),
  doorway: like("zoom"),
  rotate_scale_fade: like("spin"),
  rotatescalevanish: like("spin"),
  windowblinds: like("blinds"),
  windowslice: like("blinds"),
  linearblur: like("blur"),
  crosswarp: like("wipeleft"),
  wind: like("wipeleft"),
  squeeze: like("wipeup"),
  bounce: like("slideup"),
  glitchdisplace: like("flash"),
  glitchmemories: like("flash"),
};

/** The nearest of our transitions; a fade for one that is like none. */
export const glTransition = (name: string): Known =>
  Object.hasOwn(transitions, name.toLowerCase()) ? transitions[name.toLowerCase()]! : like("fade");
