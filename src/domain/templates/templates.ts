import type { Canvas } from "../../engine/timeline/timeline.ts";
import type { TransitionKind } from "../../engine/timeline/track.ts";
import type { EffectFields } from "../exports/request/layers/effects.ts";
import type { MoveFields } from "../exports/request/layers/moves.ts";
import type { ImageRequest } from "../exports/request/layers/overlays.ts";
import type { TemplateTextFields } from "../exports/request/layers/text-fields.ts";
import { isId, newId } from "../shared/ids.ts";
import type { Page, PageRequest } from "../shared/paging.ts";
import type { TextStyleFields } from "../shared/text-style.ts";
import {
  type Changes,
  type ExpectedRevision,
  editAtRevision,
  requireFound,
  requireRevision,
  type Versioned,
  withChanges,
} from "../shared/versioned.ts";
import type { ExportSettings } from "../works/editor-state.ts";
import type { TemplateLayer } from "./layers.ts";

export const maxOverlayIdCharacters = 1000;

export type OverlayTiming = {
  readonly timingMode: "relative" | "absolute";
  readonly startPercent?: number;
  readonly endPercent?: number;
  readonly startSeconds?: number;
  readonly endSeconds?: number;
};

type Motion = keyof EffectFields | keyof MoveFields | "keyframes";

/** Fields as in a request, whose schema has accepted them. Open, because types of responses are written out. */
type OpenFields<Names extends PropertyKey> = { readonly [Name in Names]?: OpenValue | undefined };
type OpenObject = { readonly [field: string]: unknown };
type OpenValue = string | number | OpenObject | readonly OpenObject[];

export type TemplateTextOverlay = OverlayTiming &
  TextStyleFields &
  OpenFields<Motion | "spans" | "fill"> &
  Omit<TemplateTextFields, "spans" | "fill"> & {
    readonly id: string;
    readonly text: string;
    readonly fontSize: number;
    readonly fontColor: string;
    readonly centerX: number;
    readonly centerY: number;
    readonly group?: string | undefined;
    readonly layer?: number | undefined;
  };

export type TemplateImageOverlay = OverlayTiming &
  OpenFields<Motion> &
  Pick<ImageRequest, "fit" | "focus" | "zoom" | "radius" | "repeat" | "speed"> & {
    readonly id: string;
    readonly assetId: string;
    readonly width: number;
    readonly height: number;
    readonly centerX: number;
    readonly centerY: number;
    readonly opacity: number;
    readonly rotation: number;
    readonly maintainAspectRatio: boolean;
    readonly group?: string | undefined;
    readonly layer?: number | undefined;
  };

export type TemplateContent = {
  readonly textOverlays: readonly TemplateTextOverlay[];
  readonly imageOverlays: readonly TemplateImageOverlay[];
  readonly layers?: readonly TemplateLayer[] | undefined;
  readonly defaultTransition?: { readonly type: Exclude<TransitionKind, "luma">; readonly duration: number };
  readonly exportSettings?: ExportSettings;
  /** The frame of the overlays' layout. A work with another frame gets its own layout. */
  readonly layoutSize?: Canvas;
};

export type Template = Versioned & {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly description?: string;
  readonly thumbnail?: string;
  readonly content: TemplateContent;
  readonly tags?: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
};

/** A template in lists, with counts in place of its content. */
export type TemplateMeta = Omit<Template, "projectId" | "revision" | "content"> & {
  readonly textOverlayCount: number;
  readonly imageOverlayCount: number;
  readonly hasExportSettings: boolean;
};

export type TemplateStore = {
  /** Lists the most recently changed first. */
  list(projectId: string, page: PageRequest): Promise<Page<TemplateMeta> & { readonly count: number }>;
  find(projectId: string, templateId: string): Promise<Template | undefined>;
  /** Returns undefined if the project no longer exists. */
  add(template: Template): Promise<Template | undefined>;
  change(projectId: string, templateId: string, edit: (found: Template) => Template): Promise<Template | undefined>;
  remove(projectId: string, templateId: string, check: (found: Template) => void): Promise<Template | undefined>;
};

/** The fields that callers can set. */
type TemplateFields = Pick<Template, "name" | "description" | "tags" | "content">;

export async function requireTemplate(
  templates: TemplateStore,
  projectId: string,
  templateId: string,
): Promise<Template> {
  return requireFound(isId("tmpl", templateId) ? await templates.find(projectId, templateId) : undefined);
}

export async function createTemplate(
  templates: TemplateStore,
  projectId: string,
  { name, content, ...fields }: Changes<TemplateFields> & Pick<Template, "name" | "content">,
): Promise<Template> {
  const now = Date.now();
  const blank: Template = { id: newId("tmpl"), projectId, name, content, createdAt: now, updatedAt: now, revision: 1 };
  return requireFound(await templates.add(withChanges(blank, fields)));
}

export async function changeTemplate(
  templates: TemplateStore,
  { projectId, id }: Template,
  changes: Changes<TemplateFields>,
  expected: ExpectedRevision,
): Promise<Template> {
  const edit = editAtRevision<Template>(expected, (found) => withChanges(found, changes));
  return requireFound(await templates.change(projectId, id, edit));
}

export async function removeTemplate(
  templates: TemplateStore,
  { projectId, id }: Template,
  expected: ExpectedRevision,
): Promise<void> {
  requireFound(await templates.remove(projectId, id, (found) => requireRevision(found, expected)));
}
