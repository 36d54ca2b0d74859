import {
  ApiError,
  type Client,
  connect,
  type ErrorDetails,
  ExportFailedError,
  type Issue,
  type Tokens,
  unwrap,
} from "reelwright";

const client: Client = connect("http://localhost:3000", { token: "t" });
const { api } = client;
const works = api.projects[":projectId"].works;

export async function routes(file: File) {
  const projects = await unwrap(api.projects.$get({ query: {} }));
  const name: string | undefined = projects[0]?.name;
  const { id: projectId, createdAt } = await unwrap(api.projects.$post({ json: { name: "Launch" } }));
  const made: number = createdAt;
  const work = await unwrap(works.$post({ param: { projectId }, json: {} }));
  const uploaded = await unwrap(
    api.projects[":projectId"].assets.$post({ param: { projectId }, form: { file, name: "Opener" } }),
  );
  const width: number | undefined = uploaded.width;
  const nothing: undefined = await unwrap(api.projects[":projectId"].$delete({ param: { projectId } }));
  const film = await unwrap(api.export.$post({ json: { projectId, workId: work.id } }));
  const url: URL = api.projects[":projectId"].$url({ param: { projectId } });

  // what was read can be sent back
  const read = await unwrap(works[":workId"].$get({ param: { projectId, workId: work.id } }));
  await unwrap(works[":workId"].$put({ param: { projectId, workId: work.id }, json: read }));
  const project = await unwrap(api.projects[":projectId"].$get({ param: { projectId } }));
  await unwrap(api.projects[":projectId"].$put({ param: { projectId }, json: project }));

  // @ts-expect-error the name is required
  api.projects.$post({ json: {} });
  // @ts-expect-error there is no such route
  api.films;
  // @ts-expect-error the project is required
  works.$get({ query: {} });
  // @ts-expect-error a file is no number
  api.projects[":projectId"].assets.$post({ param: { projectId }, form: { file: 5 } });
  // @ts-expect-error there is no such field
  projects[0]?.title;
  // @ts-expect-error there is no such method
  api.auth.login.$get;
  return { name, made, width, nothing, film, url };
}

export async function longTasks(file: Blob, tokens: Tokens, signal: AbortSignal) {
  const session = connect("http://localhost:3000", {
    session: tokens,
    onRefresh: ({ refreshToken }) => void refreshToken,
  });
  const asset = await session.uploadFile({ projectId: "p" }, file, { tags: ["a"], signal });
  const id: string = asset.id;
  const media = await session.uploadFile({ projectId: "p", workId: "w", slot: "scene/0/video" }, "clip.mp4");
  const url: string = media.url;
  const job = await session.waitForExport("e", { onProgress: ({ progress }) => void progress.toFixed(), signal });
  const blob: Blob = await session.downloadExport(job.id);
  await session.downloadExport(job.id, { to: "film.mp4" });

  // @ts-expect-error there is no such slot
  session.uploadFile({ projectId: "p", workId: "w", slot: "scene/video" }, file);
  // @ts-expect-error a work has slots
  session.uploadFile({ projectId: "p", workId: "w" }, file);
  // @ts-expect-error media is no asset
  media.size;
  return { id, url, blob };
}

/** The code of an error selects the type of its details. */
export function errors(error: unknown): string {
  if (error instanceof ExportFailedError) return error.job.id;
  if (!(error instanceof ApiError)) return "";
  // @ts-expect-error the details of an unknown code are not known
  error.details.length;
  switch (error.code) {
    case "validation_error":
      return error.details.map(({ path, message }) => `${path} ${message}`).join();
    case "insufficient_scope":
      return error.details.required.join();
    case "provider_model_unavailable":
      return error.details.models.join();
    case "limit_reached":
      return `${error.details.used} of ${error.details.allowed}`;
    case "rate_limited":
      return error.details?.limit ?? `${error.retryAfterSeconds}`;
    case "asset_missing":
      return error.details[0]?.path ?? "";
    case "unknown_response":
      return error.details.body;
    case "not_found": {
      const none: undefined = error.details;
      return String(none);
    }
    default:
      // @ts-expect-error there is no such code
      return error.code === "no_such_code" ? "" : error.message;
  }
}

export const issues: ErrorDetails<"validation_error"> = [] satisfies Issue[];
