import type { ModelId } from "../../engine/timeline/source.ts";
import { DomainError, type ErrorCode, isDomainError } from "../../errors.ts";
import { type HeldLease, type LeasePorts, outageProofLeaseMs, takeLease } from "../../platform/leases.ts";
import { withoutUndefined } from "../../platform/values.ts";
import { type JobCheckpoint, refusalCodes } from "../idempotency/checkpoints.ts";
import { newId } from "../shared/ids.ts";
import type { CallResult, CallTerms, Purpose, UsageAmounts, UsageRecord } from "./call.ts";
import type { CallScope, EndedCall, LedgerStore, Reservation } from "./ledger.ts";
import type { Micros } from "./money.ts";
import type { PriceTable, Units } from "./prices.ts";

/** A model call with its highest cost, and the job that it resumes. */
export type PayableCall = ModelId &
  CallTerms & {
    readonly purpose: Purpose;
    /** The most units that the call can use. Absent units default to the purpose's. */
    readonly bound?: Units;
    /** The size of the image or the video, if prices depend on it. */
    readonly size?: string;
    /** Sent with the call: if the provider honours it, calls with the same key are one payment. */
    readonly idempotencyKey?: string;
    /** A call that resumes the provider's job of this checkpoint is not paid again. */
    readonly job?: JobCheckpoint;
  };

export type PaidCallPorts = LeasePorts & {
  readonly ledger: Pick<LedgerStore, "reserve" | "resume" | "end">;
  readonly prices: PriceTable;
};

/** The cost of a request's calls so far. `isPaid`: one of them was charged for, at whatever price. */
export type Spending = { calls: number; cost: Micros; isPaid: boolean };

export const newSpending = (): Spending => ({ calls: 0, cost: 0n, isPaid: false });

/** Generous: adapters that know their requests set lower bounds. */
const bounds: Record<Purpose, Units> = {
  analyze: { inputTokens: 1_000_000, outputTokens: 64_000 },
  describe: { inputTokens: 200_000, outputTokens: 64_000 },
  match: { inputTokens: 200_000, outputTokens: 64_000 },
  scenario: { inputTokens: 200_000, outputTokens: 64_000 },
  style_guide: { inputTokens: 200_000, outputTokens: 64_000 },
  translation: { inputTokens: 200_000, outputTokens: 64_000 },
  image: { images: 1, inputTokens: 40_000, outputTokens: 20_000 },
  video: { seconds: 15, inputTokens: 40_000, outputTokens: 200_000 },
  speech: { characters: 4_000, seconds: 600, inputTokens: 10_000, outputTokens: 20_000 },
  music: { seconds: 300 },
  transcript: { seconds: 3_600, inputTokens: 200_000, outputTokens: 64_000 },
};

export const boundOf = ({ purpose, bound }: Pick<PayableCall, "purpose" | "bound">): Units => ({
  ...bounds[purpose],
  ...bound,
});

/** The answer arrived, but is useless. */
const chargedCodes: ReadonlySet<ErrorCode> = new Set(["provider_bad_response"]);

/** Returned before any work. */
const refusals: ReadonlySet<ErrorCode> = new Set(refusalCodes);

/** Includes errors of failed jobs. */
const freeCodes: ReadonlySet<ErrorCode> = new Set([...refusals, "provider_error", "content_refused"]);

/**
 * The payment of a failed call, of every route and every provider, unless its row says otherwise (`billsFailures`): an
 * answer is paid like a result, useful or not; a refusal and a failed job are free. A call that was sent and got no
 * answer may be paid for: only its owner repeats it.
 */
export function paymentOf(failure: unknown): "charged" | "free" | "unknown" {
  if (!isDomainError(failure)) return "unknown";
  if ("unanswered" in failure.facts && failure.facts.unanswered === true) return "unknown";
  if (chargedCodes.has(failure.code)) return "charged";
  return freeCodes.has(failure.code) ? "free" : "unknown";
}

/** True if it is unknown whether the provider has done the work and charges for it. */
export const isUnclear = (failure: unknown): boolean => paymentOf(failure) === "unknown";

type Done<Result> = CallResult<Result> | ({ readonly failure: unknown; readonly isCharged?: boolean } & UsageAmounts);

type PaidCall = {
  /** Replaces the call's own checkpoint, and names the call. */
  readonly job: JobCheckpoint;
  /** Books the cost of the call. Never throws: paid results must not be lost. */
  end(done: Done<unknown>, outcome: UsageRecord["outcome"], milliseconds: number): Promise<void>;
};

export type WantedCallPorts = LeasePorts & { readonly ledger: Pick<LedgerStore, "isWanted"> };

/** The prefix of leases for calls of a user, or in one of the user's projects. */
export const callLeasePrefix = ({ userId, projectId }: Pick<CallScope, "userId" | "projectId">): string =>
  `call/${userId}/${projectId === undefined ? "" : `${projectId}/`}`;

type Cancel = (reason: DomainError) => void;

/** The concurrent calls of one process for a user, or in a project: they share one lease. */
type WantedCalls = { readonly lease: Promise<HeldLease | undefined>; readonly cancels: Set<Cancel> };

const wantedCalls = new WeakMap<LeasePorts["leases"], Map<string, WantedCalls>>();

/** Holds a lease that ends, with `cancel`, when the user or the project is removed. Take it before the call begins. */
export async function holdWhileWanted(
  ports: WantedCallPorts,
  scope: CallScope,
  cancel: Cancel,
): Promise<{ readonly release: () => void }> {
  const prefix = callLeasePrefix(scope);
  const ofProcess = wantedCalls.get(ports.leases) ?? new Map<string, WantedCalls>();
  wantedCalls.set(ports.leases, ofProcess);
  const forget = (calls: WantedCalls) => void (ofProcess.get(prefix) === calls && ofProcess.delete(prefix));
  const begin = (): WantedCalls => {
    const cancels = new Set<Cancel>();
    const onLost = async () => {
      // later calls take another one
      forget(begun);
      // a lease that expired during an outage of the database proves nothing
      const isWanted = await ports.ledger.isWanted(scope).catch(() => true);
      if (!isWanted) for (const each of cancels) each(new DomainError("not_found", {}));
    };
    const options = { leaseMs: outageProofLeaseMs, onLost: () => void onLost() };
    const begun = { lease: takeLease(ports, [`${prefix}${crypto.randomUUID()}`], options), cancels };
    ofProcess.set(prefix, begun);
    return begun;
  };
  const calls = ofProcess.get(prefix) ?? begin();
  calls.cancels.add(cancel);
  const release = () => {
    calls.cancels.delete(cancel);
    if (calls.cancels.size > 0) return;
    forget(calls);
    // runs in the background
    void calls.lease.then((lease) => lease?.release()).catch(() => {});
  };
  await calls.lease.catch((error) => {
    release();
    throw error;
  });
  return { release };
}

/** A request's knowledge of its calls. `checkpoints` are the current ones of a film's step. */
export type PaidContext = Pick<Reservation, "allowUnpriced" | "filmAttempt"> & {
  readonly spending?: Spending;
  checkpoints?(): Reservation["checkpoints"];
};

/** Stores the call as begun, with its upper bound. Throws budget_exceeded, price_unknown, not_found, or unavailable. */
export async function beginCall(
  ports: PaidCallPorts,
  { spending, allowUnpriced = false, filmAttempt, checkpoints, ...scope }: CallScope & PaidContext,
  call: PayableCall,
): Promise<PaidCall> {
  const { ledger, prices } = ports;
  const { provider, model, purpose, size, job = { save: async () => {} }, billsFailures = [] } = call;
  const key = call.honoursIdempotencyKey ? call.idempotencyKey : undefined;
  const jobId = job.id ?? key;
  const knownAs = jobId === undefined ? undefined : { id: jobId, callId: job.callId };
  const bound = boundOf(call);
  const estimate = prices.costOf(call, bound, size);
  const held = await holdCalls(ports);
  let id: string;
  let begun: Reservation | undefined;
  try {
    const resumed = knownAs && (await ledger.resume({ ...scope, provider }, knownAs, held.id));
    id = resumed ?? newId("call");
    if (resumed === undefined) {
      begun = {
        ...{
          id,
          ...scope,
          provider,
          model,
          purpose,
          estimate,
          holderId: held.id,
          createdAt: Date.now(),
          allowUnpriced,
        },
        ...withoutUndefined({ job: key, filmAttempt, checkpoints: checkpoints?.() }),
      };
      await ledger.reserve(begun);
    }
  } catch (error) {
    held.release();
    throw error;
  }
  if (spending) spending.calls++;

  const costOf = (units: Units): Micros => prices.costOf(call, units, size) ?? 0n;
  const settled = (cost: Micros) => ({ state: "settled", cost, isPaid: cost > 0n || estimate === undefined }) as const;
  let hasJob = job.id !== undefined;

  const bookingOf = (done: Done<unknown>): Pick<EndedCall, "state" | "cost"> & Pick<Spending, "isPaid"> => {
    const used = usageIn(done);
    if (!("failure" in done)) return settled(costOf({ ...bound, ...used }));
    const { failure, isCharged } = done;
    const isBilled = isDomainError(failure) && billsFailures.includes(failure.code);
    // a refusal after the job has started concerns a poll: the job itself continues
    const isOfLook = hasJob && isDomainError(failure) && refusals.has(failure.code);
    const payment = isCharged || isBilled ? "charged" : isOfLook ? "unknown" : paymentOf(failure);
    const isReported = Object.keys(used).length > 0;
    // a provider that reports usage charges for it, however useless the answer
    if (payment === "free") return isReported ? settled(costOf(used)) : { state: "released", cost: 0n, isPaid: false };
    if (payment === "unknown" && !isReported) return { state: "unknown", cost: 0n, isPaid: false };
    const hasTokens = used.inputTokens !== undefined || used.outputTokens !== undefined;
    const cost = costOf({ ...bound, ...noTokens, ...used });
    // its price is per token, and the number of tokens is unknown
    const isCounted = hasTokens || cost === costOf({ ...bound, ...used });
    return isCounted ? settled(cost) : { state: "unknown", cost: 0n, isPaid: true };
  };

  return {
    job: {
      ...job,
      save: (jobId) => {
        hasJob = true;
        // a restart finds the job and its call by the checkpoint
        return job.save(jobId, id);
      },
    },

    async end(done, outcome, milliseconds) {
      const { isPaid, ...booking } = bookingOf(done);
      const { images, characters } = bound;
      const fixed = booking.state === "settled" ? withoutUndefined({ images, characters }) : {};
      const ended = { id, begun, ...booking, ...fixed, ...usageIn(done), outcome, milliseconds };
      const isBooked = await held.book(ended);
      if (!spending) return;
      spending.isPaid ||= isPaid;
      // a job that an earlier poll booked is paid for once
      if (begun || isBooked) spending.cost += booking.cost;
    },
  };
}

const noTokens: Units = { inputTokens: 0, outputTokens: 0 };

const usageIn = ({ inputTokens, outputTokens, seconds }: UsageAmounts): UsageAmounts =>
  withoutUndefined({ inputTokens, outputTokens, seconds });

/** The lease of a process that makes calls; when it ends, their payment is unknown. */
export const holderLease = (holderId: string): string => `calls/${holderId}`;

type HoldingPorts = LeasePorts & { readonly ledger: Pick<LedgerStore, "end"> };

/** The calls of one process. Concurrent ones share one lease. */
type Holder = {
  readonly id: string;
  lease: Promise<HeldLease | undefined>;
  calls: number;
  /** Calls that ended while the database was unavailable: they are booked when the lease can be renewed again. */
  readonly unbooked: Map<string, EndedCall>;
  /** The ones being booked. */
  readonly booking: Set<string>;
};

const holders = new WeakMap<LeasePorts["leases"], Holder>();

type HeldCall = {
  readonly id: string;
  readonly release: () => void;
  /** Books the call, then releases it; never throws. False if it was already booked. */
  book(ended: EndedCall): Promise<boolean>;
};

async function holdCalls(ports: HoldingPorts): Promise<HeldCall> {
  const holder = holders.get(ports.leases) ?? newHolder(ports);
  holder.calls++;
  const release = () => releaseOne(ports, holder);
  try {
    if (!(await holder.lease)) throw new DomainError("unavailable", {});
  } catch (error) {
    release();
    throw error;
  }
  return {
    id: holder.id,
    release,
    async book(ended) {
      holder.unbooked.set(ended.id, ended);
      return await bookOne(ports, holder, ended).catch(() => true);
    },
  };
}

function releaseOne({ leases }: LeasePorts, holder: Holder): void {
  holder.calls--;
  if (holder.calls > 0) return;
  if (holders.get(leases) === holder) holders.delete(leases);
  void holder.lease.then((lease) => lease?.release()).catch(() => {});
}

/** Calls that cannot be booked stay reserved, and are retried at each renewal of the lease. */
async function bookAll(ports: HoldingPorts, holder: Holder): Promise<void> {
  const waiting = [...holder.unbooked.values()].filter(({ id }) => !holder.booking.has(id));
  await Promise.allSettled(waiting.map((ended) => bookOne(ports, holder, ended)));
}

async function bookOne(ports: HoldingPorts, holder: Holder, ended: EndedCall): Promise<boolean> {
  holder.booking.add(ended.id);
  try {
    const isBooked = (await ports.ledger.end(ended)) !== undefined;
    if (holder.unbooked.delete(ended.id)) releaseOne(ports, holder);
    return isBooked;
  } finally {
    holder.booking.delete(ended.id);
  }
}

/** The renewal interval of leases. */
const retakeMs = 3_000;

function newHolder(ports: HoldingPorts): Holder {
  const id = crypto.randomUUID();
  const take = () =>
    takeLease(ports, [holderLease(id)], {
      leaseMs: outageProofLeaseMs,
      onRenewed: () => void bookAll(ports, holder),
      onLost: takeAgain,
    });
  /** Retries until a long outage is over: earlier calls are unknown until they are booked. */
  function takeAgain(): void {
    holder.lease = take();
    holder.lease
      .then((lease) => lease ?? Promise.reject(new DomainError("unavailable", {})))
      .then(() => bookAll(ports, holder))
      .catch(() => void (holder.calls > 0 && setTimeout(takeAgain, retakeMs).unref()));
  }
  const holder: Holder = { id, lease: take(), calls: 0, unbooked: new Map(), booking: new Set() };
  holders.set(ports.leases, holder);
  return holder;
}
