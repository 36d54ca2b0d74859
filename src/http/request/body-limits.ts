import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { invalid } from "../../errors.ts";
import { placeLimit } from "../../platform/place-limit.ts";
import type { AppEnv, BodyLimits, MinimumPace } from "../app-env.ts";
import type { ClientAddressOf } from "./client-address.ts";

/** 1 KB a second: less than the slowest mobile line. An upload may stand still for a while, as in a tunnel. */
export const bodyLimits: BodyLimits = {
  json: { bytes: 30_000, periodMs: 30_000 },
  form: { bytes: 60_000, periodMs: 60_000 },
};

/** Far above the needs of one client. An address may be that of many. */
const perUser = 64;
const perAddress = 256;
const total = 4_000;

/** Sets `bodyLimits` and `takeBodyPlace`, for middleware that reads a body. */
export function limitBodies(limits: BodyLimits, addressOf: ClientAddressOf) {
  const takeUserPlace = placeLimit({ perOwner: perUser, total, retryAfterSeconds: 5 });
  const takeAddressPlace = placeLimit({ perOwner: perAddress, total, retryAfterSeconds: 5 });
  const takePlace = (c: Context<AppEnv>) =>
    c.get("caller") ? takeUserPlace(c.get("caller").user.id) : takeAddressPlace(addressOf(c).network);
  return createMiddleware<AppEnv>((c, next) => {
    c.set("bodyLimits", limits);
    c.set("takeBodyPlace", () => takePlace(c));
    return next();
  });
}

export type Pace = { count(sizeBytes: number): void; stop(): void };

/** Calls `fail` if a period passes with too few bytes; the response then closes the connection. */
export function watchPace(c: Context<AppEnv>, { bytes, periodMs }: MinimumPace, fail: (reason: unknown) => void): Pace {
  let received = 0;
  const timer = setInterval(() => {
    if (received < bytes) {
      // the client would go on sending, and no one reads it
      c.header("Connection", "close");
      fail(invalid("", "The body arrives too slowly."));
    }
    received = 0;
  }, periodMs);
  return {
    count: (sizeBytes: number) => {
      received += sizeBytes;
    },
    stop: () => clearInterval(timer),
  };
}
