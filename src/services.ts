import type { AccessTokens } from "./domain/accounts/access-tokens.ts";
import type { SessionStore } from "./domain/accounts/active-sessions.ts";
import type { ApiTokenStore } from "./domain/accounts/api-tokens.ts";
import type { RateLimiter, RequestLimiter } from "./domain/accounts/rate-limit.ts";
import type { Passwords, SecretBox } from "./domain/accounts/secrets.ts";
import type { RefreshTokenStore } from "./domain/accounts/sessions.ts";
import type { UserStore } from "./domain/accounts/users.ts";
import type { Models } from "./domain/ai/models.ts";
import type { ProviderKeyStore } from "./domain/ai/provider-keys.ts";
import type { PageReader } from "./domain/ai/style-guide/web-pages.ts";
import type { AssetStore } from "./domain/assets/assets.ts";
import type { BatchStore } from "./domain/batches/batch.ts";
import type { TableReader } from "./domain/batches/rows.ts";
import type { BatchStates } from "./domain/batches/states.ts";
import type { FilmOrderReader } from "./domain/batches/validation/context.ts";
import type { DeliveryStore, Senders } from "./domain/destinations/deliveries.ts";
import type { DestinationStore } from "./domain/destinations/destinations.ts";
import type { ExportStates, ExportStore, RenderTaskStore } from "./domain/exports/lifecycle/jobs.ts";
import type { ExportWorker } from "./domain/exports/lifecycle/retry.ts";
import type { BaseRequests } from "./domain/exports/request/fill-from-editor.ts";
import type { WebhookStore } from "./domain/exports/webhooks/webhooks.ts";
import type { Fetcher } from "./domain/files/fetcher.ts";
import type { GeneratedMediaStore } from "./domain/files/generated-media.ts";
import type { InternalUrls, SignedLinks } from "./domain/files/internal-urls.ts";
import type { StorageUsageStore } from "./domain/files/storage.ts";
import type { FilmStore } from "./domain/films/film.ts";
import type { FilmStates } from "./domain/films/states.ts";
import type { SubjectLibrary } from "./domain/films/subject/library.ts";
import type { IdempotencyStore } from "./domain/idempotency/idempotency.ts";
import type { LedgerStore } from "./domain/ledger/ledger.ts";
import type { PriceTable } from "./domain/ledger/prices.ts";
import type { LookLibrary, LookStore } from "./domain/looks/looks.ts";
import type { OperationStore } from "./domain/operations/operations.ts";
import type { ProjectCaches, ProjectStore } from "./domain/projects/projects.ts";
import type { RemovalStore } from "./domain/removals/removal.ts";
import type { RenderStore } from "./domain/renders/renders.ts";
import type { ReviewStore } from "./domain/reviews/reviews.ts";
import type { Changes } from "./domain/shared/changes.ts";
import type { Settings } from "./domain/shared/settings.ts";
import type { StockCache } from "./domain/stock/stock.ts";
import type { Telemetry } from "./domain/telemetry/telemetry.ts";
import type { Designs } from "./domain/templates/library/design.ts";
import type { TemplateStore } from "./domain/templates/templates.ts";
import type { WorkMediaStore } from "./domain/works/media.ts";
import type { WorkVersionStore } from "./domain/works/versions.ts";
import type { WorkStore } from "./domain/works/works.ts";
import type {
  FileStore,
  FocusFinder,
  FrameRenderer,
  Inspector,
  MoveDrawer,
  Previewer,
  Renderer,
  Signer,
  SoundLibrary,
  SoundMeter,
  SoundTools,
  TemplateDrawer,
  TextMeasurer,
  VideoAnalyzer,
  VideoMeter,
} from "./engine/ports.ts";
import type { LeaseStore } from "./platform/leases.ts";
import type { CpuBudget } from "./platform/limits/cpu-budget.ts";
import type { Readiness } from "./platform/readiness.ts";

/** Every port of the domain. wiring.ts supplies the adapters. */
export type Services = {
  readonly users: UserStore;
  readonly removals: RemovalStore;
  readonly passwords: Passwords;
  readonly accessTokens: AccessTokens;
  readonly refreshTokens: RefreshTokenStore;
  readonly sessions: SessionStore;
  readonly apiTokens: ApiTokenStore;
  readonly providerKeys: ProviderKeyStore;
  readonly rateLimiter: RateLimiter;
  readonly requestLimiter: RequestLimiter;
  readonly projects: ProjectStore;
  readonly projectCaches: ProjectCaches;
  readonly assets: AssetStore;
  readonly templates: TemplateStore;
  readonly templateDesigns: Designs;
  readonly works: WorkStore;
  readonly workMedia: WorkMediaStore;
  readonly workVersions: WorkVersionStore;
  readonly files: FileStore;
  readonly inspector: Inspector;
  readonly fetcher: Fetcher;
  readonly pages: PageReader;
  readonly renderer: Renderer;
  readonly videoMeter: VideoMeter;
  readonly focusFinder: FocusFinder;
  readonly frameRenderer: FrameRenderer;
  readonly previewer: Previewer;
  /** Undefined if videos carry no provenance. */
  readonly signer: Signer | undefined;
  readonly textMeasurer: TextMeasurer;
  readonly templateDrawer: TemplateDrawer;
  readonly moveDrawer: MoveDrawer;
  readonly exports: ExportStore;
  readonly exportWorker: ExportWorker;
  /** Undefined if no other process can render runs of an export. */
  readonly runs?: RenderTaskStore | undefined;
  readonly changes: Changes;
  readonly exportStates: ExportStates;
  readonly webhooks: WebhookStore;
  readonly reviews: ReviewStore;
  readonly renders: RenderStore;
  readonly secretBox: SecretBox;
  readonly videoAnalyzer: VideoAnalyzer;
  readonly soundTools: SoundTools;
  readonly soundMeter: SoundMeter;
  readonly models: Models;
  readonly ledger: LedgerStore;
  readonly looks: LookLibrary;
  readonly projectLooks: LookStore;
  readonly soundLibrary: SoundLibrary;
  readonly subjects: SubjectLibrary;
  readonly films: FilmStore;
  readonly filmStates: FilmStates;
  readonly batches: BatchStore;
  readonly batchStates: BatchStates;
  readonly tableReader: TableReader;
  readonly batchBases: BaseRequests;
  /** Seals provider keys that films need until they end. */
  readonly filmKeyBox: SecretBox;
  readonly destinations: DestinationStore;
  readonly deliveries: DeliveryStore;
  readonly destinationBox: SecretBox;
  readonly senders: Senders;
  readonly accountKeyBox: SecretBox;
  /** Reads orders of films in tables, which are complete only once a row is filled in. */
  readonly readFilmOrder: FilmOrderReader;
  readonly prices: PriceTable;
  readonly storageUsage: StorageUsageStore;
  readonly generatedMedia: GeneratedMediaStore;
  readonly internalUrls: InternalUrls;
  readonly signedLinks: SignedLinks;
  readonly idempotencyKeys: IdempotencyStore;
  readonly operations: OperationStore;
  readonly stockCache: StockCache;
  readonly leases: LeaseStore;
  /** Resolves if the database responds. Throws unavailable. */
  readonly database: { ping(): Promise<void> };
  readonly readiness: Readiness;
  readonly processSlots: CpuBudget["usage"];
  readonly telemetry: Telemetry;
  readonly settings: Settings;
};
