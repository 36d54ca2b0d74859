type Session = {
  readonly body: YoutubeVideo;
  readonly sizeBytes: number;
  bytes: Uint8Array;
  videoId?: string;
};

// biome-ignore lint/suspicious/noExplicitAny: tests look at what was sent
type YoutubeVideo = any;

type Fault = (request: Request) => Response | undefined | Promise<Response | undefined>;

/** An error as the Data API writes it. */
export const apiError = (code: number, reason: string, message = reason, domain = "youtube.video") =>
  Response.json({ error: { code, message, errors: [{ message, domain, reason }] } }, { status: code });

/** As the API writes it when a project has used up its day. */
export const quotaExceeded = () =>
  apiError(
    403,
    "quotaExceeded",
    'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.',
    "youtube.quota",
  );

/** An error as Google's token endpoint writes it. */
export const tokenError = (status: number, error: string, error_description: string) =>
  Response.json({ error, error_description }, { status });

/** The parts of YouTube's Data API that an upload needs: tokens, sessions of resumable uploads, and their videos. */
export function youtubeServer({ port = 0 } = {}) {
  const sessions = new Map<string, Session>();
  const videos: { readonly id: string; readonly body: YoutubeVideo; readonly sizeBytes: number }[] = [];
  const requests: string[] = [];
  let fault: Fault | undefined;

  const server = Bun.serve({
    port,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    error: () => undefined,
    async fetch(request) {
      const { pathname, searchParams: query, origin } = new URL(request.url);
      requests.push(`${request.method} ${pathname} ${request.headers.get("content-range") ?? ""}`.trim());
      const failed = await fault?.(request);
      if (failed) return failed;
      if (pathname === "/token") return token(new URLSearchParams(await request.text()));
      if (request.headers.get("authorization") !== "Bearer access-1")
        return apiError(401, "authError", "Invalid Credentials");
      if (request.method === "POST") {
        const id = crypto.randomUUID();
        const sizeBytes = Number(request.headers.get("x-upload-content-length"));
        sessions.set(id, { body: await request.json(), sizeBytes, bytes: new Uint8Array() });
        return new Response(null, {
          headers: { location: `${origin}${pathname}?uploadType=resumable&upload_id=${id}` },
        });
      }
      const session = sessions.get(query.get("upload_id") ?? "");
      return session ? await upload(request, session) : new Response("Not Found", { status: 404 });
    },
  });

  const token = (form: URLSearchParams) => {
    if (form.get("client_secret") !== "client-secret") return tokenError(401, "invalid_client", "Unauthorized");
    if (form.get("refresh_token") !== "1//refresh-token")
      return tokenError(400, "invalid_grant", "Token has been expired or revoked.");
    return Response.json({ access_token: "access-1", expires_in: 3599, scope: "youtube.upload", token_type: "Bearer" });
  };

  const upload = async (request: Request, session: Session) => {
    const range = request.headers.get("content-range") ?? "";
    const [, first, last] = /^bytes (\d+)-(\d+)\//.exec(range) ?? [];
    if (first !== undefined && session.videoId === undefined) {
      if (Number(first) !== session.bytes.length) return apiError(400, "badRequest", "The bytes do not follow.");
      // what a broken request has sent counts
      for await (const chunk of request.body ?? []) session.bytes = Buffer.concat([session.bytes, chunk]);
      if (session.bytes.length !== Number(last) + 1) return new Response(null, { status: 400 });
      if (session.bytes.length === session.sizeBytes) {
        session.videoId = `video-${videos.length + 1}`;
        videos.push({ id: session.videoId, body: session.body, sizeBytes: session.sizeBytes });
      }
    }
    const { videoId: id, bytes } = session;
    if (id !== undefined)
      return Response.json({ kind: "youtube#video", id, status: { uploadStatus: "uploaded" } }, { status: 201 });
    return new Response(null, {
      status: 308,
      headers: bytes.length > 0 ? { range: `bytes=0-${bytes.length - 1}` } : {},
    });
  };

  return {
    videos,
    sessions,
    /** Method, path and Content-Range of all requests. */
    requests,
    credentials: { clientId: "client-id", clientSecret: "client-secret", refreshToken: "1//refresh-token" },
    baseUrl: `http://127.0.0.1:${server.port}`,
    failWith(next: Fault | undefined) {
      fault = next;
    },
    stop: () => server.stop(true),
  };
}
