import type { FetchResult, Server } from "./shutdown.ts";

type PortOptions = {
  readonly port: number;
  readonly hostname: string;
  readonly fetch: (request: Request, server: Server) => FetchResult;
  readonly error?: (error: unknown) => Response;
};

/** Listens, or throws a one-line message that names the port by `setting`. */
export function openPort(options: PortOptions, setting: string): Server {
  try {
    return Bun.serve({
      ...options,
      // Bun's development error page would show source code wherever NODE_ENV is not set
      development: false,
      // otherwise two processes could share one port and each would get half of the requests
      reusePort: false,
      // body limits are enforced where bodies are read, so that they get this service's own error response
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      // seconds that a paused player keeps its connection; server.timeout has no effect on file responses
      idleTimeout: 120,
    });
  } catch (cause) {
    const isPortTaken = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
    const advice = isPortTaken
      ? `is another process there? Choose another ${setting}.`
      : "is HOST an address of this machine?";
    throw new Error(`Cannot listen on ${options.hostname}:${options.port}: ${advice}`, { cause });
  }
}
