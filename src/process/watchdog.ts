import type { Logger } from "pino";
import { routesDuring } from "../http/middleware/routes-in-flight.ts";
import { type EventLoopMonitor, monitorEventLoop } from "../platform/cpu.ts";

const thresholdMilliseconds = 200;

/** Warns when its own work blocked the thread that answers requests, and names the routes in flight. */
export const watchAnsweringThread = (log: Logger): EventLoopMonitor =>
  monitorEventLoop({
    thresholdMilliseconds,
    onStall(block) {
      const { blockedMs, cpuMs } = block;
      const fields = { blockedMs, cpuMs, routes: routesDuring(block, thresholdMilliseconds) };
      if (cpuMs > thresholdMilliseconds) log.warn(fields, "thread blocked");
      // the machine was suspended or busy with other processes
      else log.debug(fields, "thread not run");
    },
  });
