import type { Attempt } from "../load/client.ts";

/** A response that says that something is away must come within this time. */
const maxUnavailableMs = 5_500;

/** These work before they learn that something is away. */
const longRoutes = /\/generate\/scene\/|^\/api\/export$/;

/** What no fault excuses: a server's error that is not 503, a 503 without Retry-After, or one that came late. */
export function responseViolations(attempts: readonly Attempt[]): readonly string[] {
  return attempts.flatMap((attempt) => {
    const { status = 0, isOfFront, retryAfter, milliseconds, body = "" } = attempt;
    if (isOfFront || status < 500) return [];
    const name = `${new Date(attempt.at).toISOString().slice(14, 23)} ${attempt.method} ${attempt.route}: ${status} after ${milliseconds} ms ${body}`;
    // the documented end of a billed call that was interrupted
    if (status === 502 && /"provider_error".*billed|billed.*"provider_error"/.test(body)) return [];
    if (status !== 503) return [name];
    if (retryAfter === undefined) return [`without Retry-After: ${name}`];
    return milliseconds > maxUnavailableMs && !longRoutes.test(attempt.route) ? [`late: ${name}`] : [];
  });
}

/** What a rolling restart must not show: anything but 2xx to 4xx and 503, also from the front, and lost connections. */
export const visibleFailures = (attempts: readonly Attempt[]): readonly string[] =>
  attempts
    .filter(({ status }) => status === undefined || (status >= 500 && status !== 503))
    .map(
      ({ method, route, status = "lost", milliseconds, body = "", isOfFront }) =>
        `${method} ${route}: ${status} after ${milliseconds} ms ${isOfFront ? "(front)" : body}`,
    );
