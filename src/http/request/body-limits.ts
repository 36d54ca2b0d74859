import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { invalid } from "../../errors.ts";
import { slotLimit } from "../../platform/limits/slot-limit.ts";
import type { AppEnv, BodyLimits, MinimumPace } from "../app-env.ts";
import type { ClientAddressOf } from "./client-address.ts";

/** 1 KB per second is below the slowest mobile line. An upload may pause for a while, as in a tunnel. */
export const bodyLimits: BodyLimits = {
  json: { bytes: 30_000, periodMs: 30_000 },
  form: { bytes: 60_000, periodMs: 60_000 },
  anonymous: { bytes: Number.POSITIVE_INFINITY, periodMs: 2_000 },
};

type JsonBounds = { readonly maxBytes: number; readonly maxValues: number; readonly pace: MinimumPace };

/** Unauthenticated bodies: at most 16 KB within 2 seconds; a login or a registration has less than 3 KB. */
export const jsonBounds = (c: Context<AppEnv>): JsonBounds =>
  c.get("caller")
    ? { maxBytes: 4 * 1024 * 1024, maxValues: 50_000, pace: c.get("bodyLimits").json }
    : { maxBytes: 16 * 1024, maxValues: 100, pace: c.get("bodyLimits").anonymous };

/** Far above the needs of one client. Many clients may share an address. */
const perUser = 64;
const perAddress = 256;
const total = 4_000;

/** Sets `bodyLimits` and `acquireBodySlot`, for middleware that reads a body. */
export function limitBodies(limits: BodyLimits, addressOf: ClientAddressOf) {
  const takeUserSlot = slotLimit({ perOwner: perUser, total, retryAfterSeconds: 5 });
  const takeAddressSlot = slotLimit({ perOwner: perAddress, total, retryAfterSeconds: 5 });
  const takeSlot = (c: Context<AppEnv>, giveWay?: () => void) =>
    c.get("caller") ? takeUserSlot(c.get("caller").user.id) : takeAddressSlot(addressOf(c).network, giveWay);
  return createMiddleware<AppEnv>((c, next) => {
    c.set("bodyLimits", limits);
    c.set("acquireBodySlot", (giveWay) => takeSlot(c, giveWay));
    return next();
  });
}

/** Requests whose bodies have arrived completely. */
const received = new WeakSet<Request>();

export const noteWholeBody = (c: Context<AppEnv>): void => void received.add(c.req.raw);

export const hasUnreadBody = ({ req: { raw } }: Context<AppEnv>): boolean => raw.body !== null && !received.has(raw);

export type Pace = { count(sizeBytes: number): void; stop(): void };

export const tooSlow = () => invalid("", "The body arrives too slowly.");

/** Calls `fail` if a period passes with too few bytes. */
export function watchPace({ bytes, periodMs }: MinimumPace, fail: (reason: unknown) => void): Pace {
  let arrived = 0;
  const timer = setInterval(() => {
    if (arrived < bytes) fail(tooSlow());
    arrived = 0;
  }, periodMs);
  return {
    count: (sizeBytes: number) => {
      arrived += sizeBytes;
    },
    stop: () => clearInterval(timer),
  };
}
