import type { Session } from "../accounts/access-tokens.ts";
import type { User } from "../accounts/users.ts";
import { newId } from "../shared/ids.ts";
import type { Page, PageRequest } from "../shared/paging.ts";
import {
  type Changes,
  type ExpectedRevision,
  editAtRevision,
  requireFound,
  type Versioned,
  withChanges,
} from "../shared/versioned.ts";
import { defaultPrompts, type ProjectType, type Prompts } from "./default-prompts.ts";

/** Unknown keys are stored too. */
export type StyleGuide = {
  readonly tone?: string;
  readonly color_palette?: readonly string[];
  readonly tempo?: string;
  readonly camera_style?: string;
  readonly brand_voice?: string;
  readonly must_include?: readonly string[];
  readonly must_avoid?: readonly string[];
  readonly [key: string]: unknown;
};

/** The parts of a style guide for models. A brand is for exports; its text, as in older style guides, is for models. */
export function withoutBrand({ brand, ...guide }: StyleGuide): StyleGuide {
  return typeof brand === "string" ? { ...guide, brand } : guide;
}

export type Project = Versioned &
  Prompts & {
    readonly id: string;
    readonly userId: string;
    readonly name: string;
    readonly knowledge: string;
    readonly styleGuide?: StyleGuide;
    readonly projectType?: ProjectType;
    readonly createdAt: number;
    readonly updatedAt: number;
  };

/** Every method returns undefined for a missing project, and for another user's. */
export type ProjectStore = {
  /** Lists the most recently changed first, with prompts and knowledge cut to `maxListedCharacters`. */
  list(userId: string, page: PageRequest): Promise<Page<Project>>;
  find(userId: string, projectId: string): Promise<Project | undefined>;
  /** Combines `users.findLoggedIn` and `find` in one query. */
  findForSession(
    session: Session,
    projectId: string,
  ): Promise<{ readonly user: User; readonly project?: Project } | undefined>;
  add(project: Project): Promise<Project>;
  /** Runs `edit` on the stored project under a row lock and saves the result with the next revision. */
  change(userId: string, projectId: string, edit: (found: Project) => Project): Promise<Project | undefined>;
  /** The ids that belong to projects, of any user. */
  existing(ids: readonly string[]): Promise<readonly string[]>;
  /** Also cancels its exports, without events. `finishRemovals` removes the rest. False if it does not exist. */
  remove(userId: string, projectId: string, check: (found: Project) => void): Promise<boolean>;
};

/** The fields that callers can set. */
type ProjectFields = Omit<Project, "id" | "userId" | "revision" | "createdAt" | "updatedAt">;

const defaultsOf = (projectType?: ProjectType | null) => ({
  ...defaultPrompts(projectType ?? "blank"),
  knowledge: "",
});

export function createProject(
  projects: ProjectStore,
  userId: string,
  { name, ...fields }: Changes<ProjectFields> & Pick<Project, "name">,
): Promise<Project> {
  const now = Date.now();
  const defaults = defaultsOf(fields.projectType);
  const blank: Project = { id: newId("proj"), userId, name, createdAt: now, updatedAt: now, revision: 1, ...defaults };
  return projects.add(withChanges(blank, fields, defaults));
}

export async function changeProject(
  projects: ProjectStore,
  { id, userId }: Project,
  changes: Changes<ProjectFields>,
  expected: ExpectedRevision,
): Promise<Project> {
  const edit = editAtRevision<Project>(expected, (found) => {
    const { projectType } = withChanges(found, changes);
    return withChanges(found, changes, defaultsOf(projectType));
  });
  return requireFound(await projects.change(userId, id, edit));
}

/** Cached data of projects. A running export may still add to it after its project is removed. */
export type ProjectCaches = {
  list(): Promise<readonly string[]>;
  remove(projectId: string): Promise<void>;
};

/** Removes data that running exports cached for projects after their removal. */
export async function sweepProjectCaches({
  projects,
  projectCaches,
}: {
  readonly projects: Pick<ProjectStore, "existing">;
  readonly projectCaches: ProjectCaches;
}): Promise<void> {
  const cached = await projectCaches.list();
  const existing = new Set(await projects.existing(cached));
  for (const projectId of cached) if (!existing.has(projectId)) await projectCaches.remove(projectId);
}
