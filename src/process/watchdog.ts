import type { Logger } from "pino";
import { routesDuring } from "../http/middleware/routes-in-flight.ts";
import { type EventLoopMonitor, monitorEventLoop } from "../platform/event-loop-monitor.ts";

const thresholdMilliseconds = 200;

/** Warns when the thread that answers requests was blocked by its own work, and names the routes in flight. */
export const watchAnsweringThread = (log: Logger): EventLoopMonitor =>
  monitorEventLoop({
    thresholdMilliseconds,
    onStall(block) {
      const { blockedMs, cpuMs } = block;
      const fields = { blockedMs, cpuMs, routes: routesDuring(block, thresholdMilliseconds) };
      if (cpuMs > thresholdMilliseconds) log.warn(fields, "thread blocked");
      // the machine was suspended, or busy with something else
      else log.debug(fields, "thread not run");
    },
  });
