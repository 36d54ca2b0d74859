import { isFullScreen, safeZoneOf } from "../../../engine/timeline/safe-zone.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import { type Drawable, type SceneDesign, shapeKinds } from "../../ai/scene-design.ts";
import type { AspectRatio } from "../../exports/request/schema.ts";
import { targetCanvas } from "../../exports/request/targets.ts";
import type { Look } from "../../looks/looks.ts";
import { defaultResolution } from "../../works/editor-state.ts";
import type { Work } from "../../works/works.ts";
import { amountIn } from "./amounts.ts";
import { startOf } from "./lines.ts";
import { emphasisOn, type FilmPalette, inkOn, onEmphasis, readableGround, shapeOn, sumOfCodes } from "./palette.ts";

export type SceneColors = {
  readonly ground: string;
  readonly ink: string;
  readonly emphasis: string;
  readonly shape: string;
  readonly second: string;
  /** The color on the shape. */
  readonly onShape: string;
  /** The color on the emphasis. */
  readonly onEmphasis: string;
};

/** The opening and the end have the brand's color, scenes alternate others. Logos stand on light grounds. */
export function sceneColors(
  { opening, between, end }: Look["grounds"],
  palette: FilmPalette,
  scene: number,
  sceneCount: number,
  hasLogo = false,
): SceneColors {
  const { lead, accent, dark, light } = palette;
  const isLast = scene === sceneCount - 1;
  const name = isLast ? end : scene === 0 ? opening : between[(scene - 1) % between.length]!;
  const color = hasLogo && isLast ? light : palette[name];
  const ground = readableGround(color, palette);
  // a dark ground shows the brand's color best
  const isOwn = accent !== light && accent !== dark;
  const shape = shapeOn(ground, ground === dark && !isOwn ? [lead, light] : [accent, lead, light]);
  const others = ground === dark ? [lead, light] : [light, lead, dark];
  const second = shapeOn(
    ground,
    others.filter((color) => color !== shape),
  );
  const emphasis = emphasisOn(ground, palette);
  return {
    ground,
    ink: inkOn(ground, palette),
    emphasis,
    onEmphasis: hasLogo && isLast ? onEmphasis(emphasis, ground, palette) : ground,
    shape,
    second,
    onShape: inkOn(shape, palette),
  };
}

type Shown = { readonly scene: number; readonly sceneCount: number };

type DesignInput = Shown & {
  readonly work: Work;
  /** See `lookSeed`. */
  readonly seed: string;
  readonly palette: FilmPalette;
  readonly canvases: readonly Canvas[];
  /** True if the brief's page has a logo. */
  readonly hasLogo: boolean;
};

/** The drawing of a scene by the local model, around its words. */
export function sceneDesign({ work, seed, palette, canvases, scene, sceneCount, hasLogo }: DesignInput): SceneDesign {
  const { ground, shape, second } = sceneColors(palette, scene, sceneCount, hasLogo);
  const place = scene === 0 ? "opening" : scene === sceneCount - 1 ? "end" : "middle";
  const object = drawnObject(work);
  const amount = !object && place === "middle" ? amountIn(work.scenes[scene]?.text_overlay ?? "") : undefined;
  const size = drawnSize(canvases);
  return {
    ...{ place, ground, accent: shape, second, dark: palette.dark, light: palette.light },
    ...{ ...(object && { object }), ...(amount && { amount }) },
    // a film has the shapes of its product
    ...{
      variant: object ? scene : (sumOfCodes(seed) % shapeKinds) + shapeKinds * scene,
      begins: startOf(work.scenes[scene]?.text_overlay ?? work.productName),
      core: drawnCore(canvases),
      axis: axisOf(canvases, size),
    },
  };
}

/** Chooses the colors and shapes of a film without a brand: from the table, or else from the product. */
export const lookSeed = ({ lookSeed }: { readonly lookSeed?: string | undefined }, { productName }: Work): string =>
  lookSeed ?? productName;

export const drawnObject = ({ productName, productDescription }: Work): Drawable | undefined =>
  drawableIn(productName, productDescription);

/** The frames of a film's videos, the work's own first. */
export const filmCanvases = (
  { resolution = defaultResolution }: Work,
  targets: readonly AspectRatio[],
): readonly Canvas[] => targets.map((target) => targetCanvas(target, resolution));

/** Contains the frames of all targets, so that each shows the middle of one picture. */
export const drawnSize = (canvases: readonly Canvas[]): Canvas => ({
  width: Math.max(...canvases.map(({ width }) => width)),
  height: Math.max(...canvases.map(({ height }) => height)),
});

/** The middle that the frames of all targets show, as shares of the drawn size. */
export function drawnCore(canvases: readonly Canvas[]): Canvas {
  const size = drawnSize(canvases);
  return {
    width: Math.min(...canvases.map(({ width }) => width)) / size.width,
    height: Math.min(...canvases.map(({ height }) => height)) / size.height,
  };
}

/** Apps cover more of the right side of full screens: there, everything is left of the middle. */
function axisOf(canvases: readonly Canvas[], size: Canvas): number {
  const tall = canvases.find(isFullScreen);
  if (!tall) return 0.5;
  const { x, width } = safeZoneOf(tall);
  return 0.5 + (x + width / 2 - tall.width / 2) / size.width;
}

/** Words of products, and of related products that differ: a coffee table is not a cup. */
const patterns: readonly { readonly drawable: Drawable; readonly words: RegExp; readonly others: RegExp }[] = [
  {
    drawable: "cup",
    words:
      /(?<!\p{L})(?:coffee|espresso|cappuccino|latte|cocoa|mug|cup|tumbler|kaffee|\p{L}*(?:becher|tasse)n?|tasse|café|taza|caneca|xícara|tazza|caffè|قهوة|القهوة|кофе)s?(?!\p{L})|コーヒー|咖啡|커피/iu,
    others:
      /(aschenbecher|eierbecher|messbecher|measuring|egg cup|(?:world|league|super).?cup|cup (?:final|size|holder)|table|machine|maker|grinder|bike|shop|house|bar|scrub|soap|pod|capsule|filter|maschine|mühle|tisch|automat|roaster)/iu,
  },
  {
    drawable: "bottle",
    words:
      /(?<!\p{L})(?:serum|shampoo|perfume|parfum|juice|lemonade|limonade|soda|bottle|flask|thermos|\p{L}*flaschen?|thermoskanne|gourde|bouteille|flacon|botella|cantimplora|bottiglia|borraccia|garrafa|olive oil|olivenöl|عطر)s?(?!\p{L})|香水|美容液/iu,
    others:
      /(gasflasche|wärmflasche|sauerstoffflasche|hot.water|flaschen(?=\p{Ll}{3})|opener|rack|holder|bag|cooler|öffner|regal)/iu,
  },
  {
    drawable: "phone",
    words: /(?<!\p{L})(app|appli|aplicación|aplicativo|applicazione|smartphone|تطبيق)(?!\p{L})|アプリ/iu,
    others: /(case|holder|stand|charger|hülle|halter)/iu,
  },
];

/** The product's drawable, from its name and the sentence that describes it. */
export function drawableIn(name: string, description: string): Drawable | undefined {
  const [first = ""] = description.split(/(?<=[.!?。！？])\s*|\n/u);
  const text = `${name}. ${first.slice(0, 200)}`;
  return patterns.find(({ words, others }) => words.test(text) && !others.test(text))?.drawable;
}
