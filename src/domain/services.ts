import type { AssetStore } from "./assets.ts";
import type { Renderer } from "./exports.ts";
import type { Fetcher } from "./fetching.ts";
import type { FileStore, Inspector } from "./files.ts";
import type { ProjectStore } from "./projects.ts";
import type { RefreshTokenStore } from "./sessions.ts";
import type { TemplateStore } from "./templates.ts";
import type { ApiTokenStore } from "./tokens.ts";
import type { UserStore } from "./users.ts";
import type { WorkMediaStore, WorkStore } from "./works.ts";

/** Every port of the domain. wiring.ts puts the adapters in. */
export type Services = {
  readonly users: UserStore;
  readonly refreshTokens: RefreshTokenStore;
  readonly apiTokens: ApiTokenStore;
  readonly projects: ProjectStore;
  readonly assets: AssetStore;
  readonly templates: TemplateStore;
  readonly works: WorkStore;
  readonly workMedia: WorkMediaStore;
  readonly files: FileStore;
  readonly inspector: Inspector;
  readonly fetcher: Fetcher;
  readonly renderer: Renderer;
};
