import { z } from "zod";
import { requireFound } from "../shared/versioned.ts";

/** What a text of a layout is: each has a style of its own in a look. */
export const typeRoles = ["display", "heading", "text", "label", "number"] as const;
export type TypeRole = (typeof typeRoles)[number];

const HexColor = z.string().regex(/^#[0-9a-f]{6}$/);

const TypeStyle = z.strictObject({
  family: z.string().min(1).max(100),
  weight: z.int().min(100).max(900),
  case: z.enum(["upper", "lower", "title"]).optional(),
  /** A factor of the font size. */
  lineHeight: z.number().min(0.7).max(2).default(1.1),
  /** A share of the font size. */
  letterSpacing: z.number().min(-0.2).max(1).default(0),
  /** Multiplies the sizes that layouts name: condensed letters can be larger. */
  size: z.number().min(0.3).max(3).default(1),
  /** The mean width of a letter, as a multiple of one in Inter at weight 800. */
  width: z.number().min(0.3).max(2).default(1),
});

/** Styles for writing systems that the family does not have, by the name of the script in Unicode. */
const RoleStyle = TypeStyle.extend({ scripts: z.record(z.string(), TypeStyle.partial()).optional() });

/** Fields of `enter`, `exit` and `loop` of a layer; exports check them. */
const Move = z.union([z.string(), z.looseObject({ name: z.string() })]);

const Gesture = z.strictObject({
  enter: Move.optional(),
  exit: Move.optional(),
  loop: Move.optional(),
  /** Seconds after the start of the scene. */
  delay: z.number().min(0).max(5).default(0),
});

/** How the words of a text that matter most stand out. Names of colors are those of `data-color`. */
const Highlight = z.strictObject({
  color: z.enum(["ink", "emphasis", "shape", "second"]).optional(),
  /** A marker behind the words. */
  marker: z.enum(["emphasis", "shape", "second"]).optional(),
  underline: z.boolean().optional(),
});

const Palette = z.strictObject({ lead: HexColor, accent: HexColor, dark: HexColor, light: HexColor });

/** The file look.json. */
export const LookFile = z.strictObject({
  title: z.string().min(1).max(60),
  about: z.string().min(1).max(300),
  /** Words of briefs and of their moods that this look fits, in any language. */
  fits: z.array(z.string().min(2).max(40)).max(200),
  type: z.record(z.enum(typeRoles), RoleStyle),
  /** The palettes of brands without colors. */
  palettes: z.array(Palette).min(1).max(12),
  /** The colors behind the scenes: of the first, of those between in turn, and of the last. */
  grounds: z.strictObject({
    opening: z.enum(["lead", "accent", "dark", "light"]),
    between: z.array(z.enum(["lead", "accent", "dark", "light"])).min(1),
    end: z.enum(["lead", "accent", "dark", "light"]),
  }),
  transitions: z.array(z.strictObject({ name: z.string(), seconds: z.number().min(0.1).max(2) })).min(1),
  /** By the name of a box, or `words`, `parts` and `subject` for all others. */
  motion: z.record(z.string(), Gesture),
  highlight: Highlight.default({ color: "emphasis" }),
  /** The beds that suit it: the brief chooses one. */
  beds: z.array(z.string()).min(1),
  /** The effects of cuts, in turn, and of boxes when they come, by their names as in `motion`. */
  effects: z.strictObject({ cuts: z.array(z.string()).min(1), boxes: z.record(z.string(), z.string()) }),
  /** The strength of the noise on grounds, 0..1. */
  grain: z.number().min(0).max(0.2),
});

export type LookFile = z.output<typeof LookFile>;
export type Gesture = z.output<typeof Gesture>;
export type RoleStyle = z.output<typeof RoleStyle>;

/** The layouts of scenes; each has a file of HTML, or is set in another one's. */
export const layouts = [
  "opening",
  "claim",
  "split",
  "before-after",
  "list",
  "steps",
  "number",
  "quote",
  "review",
  "offer",
  "end-card",
] as const;
export type Layout = (typeof layouts)[number];

/** The layouts whose pages are also those of other ones. */
export const sameAs: Readonly<Partial<Record<Layout, Layout>>> = {
  "before-after": "split",
  steps: "list",
  review: "quote",
};

/** The files of a look, by their names: look.json, look.css, device.html, and the pages of layouts. */
export type LookFiles = Readonly<Record<string, string>>;

/** Files as they are stored. */
export const StoredLookFiles = z.record(z.string(), z.string()).refine(isReadable, "Must have a valid look.json.");

function isReadable({ "look.json": text = "" }: LookFiles): boolean {
  try {
    return LookFile.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

export type Look = LookFile & {
  readonly name: string;
  /** The HTML of each layout: the look's own, or that of `sameAs`, or else the shared one. */
  readonly html: Readonly<Record<Layout, string>>;
  /** What is drawn around a picture of a screen: the look's own, or else the shared one. */
  readonly device: string;
  /** The shared CSS, then the look's own. */
  readonly css: string;
  /** The file of a small moving picture, an animated WebP; an uploaded look has none. */
  readonly previewPath?: string;
};

/** A look from its files; what it lacks has the pages that all looks share. Throws if look.json is wrong. */
export function lookOf(name: string, own: LookFiles, shared: LookFiles): Look {
  const page = (layout: Layout): string => {
    const names = [layout, sameAs[layout] ?? layout].map((each) => `${each}.html`);
    const found = [own, shared].flatMap((files) => names.map((file) => files[file])).find((html) => html !== undefined);
    if (found === undefined) throw new Error(`No look shares a page for ${layout}`);
    return found;
  };
  return {
    ...LookFile.parse(JSON.parse(own["look.json"] ?? "{}")),
    name,
    // safe because each layout is read
    html: Object.fromEntries(layouts.map((layout) => [layout, page(layout)])) as Record<Layout, string>,
    device: own["device.html"] ?? shared["device.html"] ?? "",
    css: [shared["look.css"], own["look.css"]].filter(Boolean).join("\n"),
  };
}

/** Throws not_found. */
export function requireLook(looks: Looks, name: string): Look {
  return requireFound(looks.get(name));
}

/** Looks by name, in the order in which they are listed. */
export type Looks = ReadonlyMap<string, Look>;

/** The looks that a service comes with, and the files that all looks share. */
export type InstalledLooks = { readonly looks: Looks; readonly shared: LookFiles };

/** A look that a project has uploaded. */
export type ProjectLook = {
  readonly projectId: string;
  readonly name: string;
  readonly files: LookFiles;
  readonly createdAt: number;
  readonly updatedAt: number;
};

export type LookStore = {
  /** By name. */
  list(projectId: string): Promise<readonly ProjectLook[]>;
  /** Replaces one of that name. Undefined if the project does not exist. Throws limit_reached. */
  put(look: ProjectLook): Promise<ProjectLook | undefined>;
  /** False if there is none. */
  remove(projectId: string, name: string): Promise<boolean>;
};

export type LookLibrary = InstalledLooks & {
  /** The installed looks, then those of a project. */
  of(projectId: string): Promise<Looks>;
};

export const lookLibrary = (installed: InstalledLooks, store: Pick<LookStore, "list">): LookLibrary => ({
  ...installed,
  async of(projectId) {
    const own = (await store.list(projectId)).map(({ name, files }) => lookOf(name, files, installed.shared));
    return own.length === 0
      ? installed.looks
      : new Map([...installed.looks, ...own.map((look) => [look.name, look] as const)]);
  },
});
