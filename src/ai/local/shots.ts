import type { CameraMove } from "../../domain/ai/generation/local-generator.ts";
import { otherFramings } from "../../domain/ai/scenario/scene-count.ts";
import type { Look } from "./look.ts";
import type { Beat } from "./story.ts";
import type { World } from "./worlds.ts";

/** What every scene of a film knows. */
export type ShotFacts = {
  readonly product: string;
  readonly world: World;
  readonly look: Look;
  readonly audience: string;
  /** Sentences of the product's description. */
  readonly claims: readonly string[];
  readonly included: readonly string[];
};

/** One scene: its beat, how many of this beat came before, its camera, what it tells, and what a reference showed in its place. */
export type ShotWish = {
  readonly beat: Beat;
  readonly turn: number;
  readonly move: CameraMove;
  /** Which sentence of the description it stands for, if any. */
  readonly claim: number | undefined;
  readonly retold: string;
};

export type DrawnShot = { readonly picture: string; readonly movement: string };

/** A still picture, complete in itself, and what moves in it. */
export function drawnShot(wish: ShotWish, facts: ShotFacts): DrawnShot {
  const { look, world } = facts;
  const { subject, action } = wish.retold ? retoldAs(wish.retold, facts) : subjects[wish.beat](facts, wish.turn);
  const picture = [
    `${framing[wish.beat]}: ${subject}.`,
    againFrom(wish, facts),
    hasPerson(wish) ? personIn(facts) : "",
    hasPlace[wish.beat] ? `Place: ${world.place}.` : "",
    wish.beat === "benefit" ? claimOf(wish, facts) : "",
    includedIn(wish, facts),
    `Light: ${look.light}.`,
    ...[look.colors, look.mood, room[wish.beat]],
  ];
  const movement = [`${upperFirst(action)}.`, camera[wish.move], cameraStyle(look)];
  return { picture: sentences(picture), movement: sentences(movement) };
}

const retoldAs = (told: string, { product }: ShotFacts): Subject => {
  const scene = withoutStop(told);
  return { subject: `${scene}, now with ${product}`, action: `${scene}, in one unhurried movement` };
};

function claimOf({ claim }: ShotWish, { claims }: ShotFacts): string {
  const sentence = claim === undefined ? undefined : claims[claim];
  return sentence ? `The picture makes one feel: “${withoutStop(sentence)}”.` : "";
}

/** A picture that is shown once more is seen from elsewhere. */
function againFrom({ beat, turn, retold }: ShotWish, { world }: ShotFacts): string {
  const round = Math.floor(turn / (beat === "detail" ? world.details : world.uses).length);
  if (retold || round === 0) return "";
  return otherFramings[(round - 1) % otherFramings.length]!; // safe because of the remainder
}

const withoutStop = (text: string): string => text.replace(/[.。।!?\s]+$/u, "");

const sentences = (texts: readonly string[]): string => texts.filter((text) => text !== "").join(" ");

const framing: Record<Beat, string> = {
  hook: "Extreme close-up",
  context: "Medium shot",
  product: "Hero shot at eye level",
  benefit: "Medium close-up",
  detail: "Macro shot",
  action: "Wide, calm shot",
};

const hasPlace: Record<Beat, boolean> = {
  hook: false,
  context: true,
  product: true,
  benefit: true,
  detail: false,
  action: true,
};

/** Where a text may stand. */
const room: Record<Beat, string> = {
  hook: "Shallow depth of field, the background dissolved.",
  context: "Calm, empty space above the head.",
  product: "The product sharp in the middle, free space above it.",
  benefit: "Free space in the upper third.",
  detail: "Very shallow depth of field.",
  action: "Much free space above and below.",
};

type Subject = { readonly subject: string; readonly action: string };

const subjects: Record<Beat, (facts: ShotFacts, turn: number) => Subject> = {
  hook: ({ world }) => ({ subject: world.hook, action: world.hook }),
  context: (facts) => withPerson(facts, facts.world.trouble),
  product: ({ product, world }) => ({
    subject: `${product} ${world.stage}`,
    action: `${product} stays still; light moves slowly across it`,
  }),
  benefit: (facts, turn) => {
    const { subject, action } = withPerson(facts, inTurn(facts.world.uses, turn));
    return { subject: `${subject}; ${facts.product} in view`, action };
  },
  detail: ({ world, product }, turn) => {
    const detail = inTurn(world.details, turn);
    return { subject: `${detail}, a detail of ${product}`, action: detail };
  },
  action: ({ product, world }) => ({
    subject: `${product} alone in the middle, ${world.person} out of focus far behind`,
    action: `The figure in the background turns and smiles; ${product} stays still`,
  }),
};

const withPerson = ({ world }: ShotFacts, deed: string): Subject => ({
  subject: `${world.person} ${deed}`,
  action: `The person ${deed}`,
});

const hasPerson = ({ beat, retold }: ShotWish): boolean =>
  retold === "" && (beat === "context" || beat === "benefit" || beat === "action");

/** Each picture is drawn without knowledge of the others. */
function personIn({ world, audience, look }: ShotFacts): string {
  const clothes = look.leadColor === "plain" ? "plain clothes" : `${look.leadColor} clothes`;
  const seenBy = audience ? `; somebody in whom ${audience} may see themselves` : "";
  return `The person: ${world.looks}, ${clothes}${seenBy}.`;
}

/** What must be seen is seen with the product first, then a piece at a time. */
function includedIn({ beat, turn }: ShotWish, { included }: ShotFacts): string {
  if (included.length === 0) return "";
  if (beat === "product") return `In the picture too: ${included.slice(0, 2).join("; ")}.`;
  const item = beat === "benefit" ? included[turn + 2] : beat === "action" ? included[0] : undefined;
  return item ? `In the picture too: ${item}.` : "";
}

const camera: Record<CameraMove, string> = {
  push_in: "The camera pushes in slowly.",
  pull_out: "The camera pulls out slowly.",
  pan_left: "The camera pans left, evenly.",
  pan_right: "The camera pans right, evenly.",
  tilt_up: "The camera tilts up, evenly.",
  tilt_down: "The camera tilts down, evenly.",
};

const cameraStyle = ({ camera: style }: Look): string => (style ? `Camera style: ${withoutStop(style)}.` : "");

/** safe because every world has some */
const inTurn = (items: readonly string[], turn: number): string => items[turn % items.length]!;

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
