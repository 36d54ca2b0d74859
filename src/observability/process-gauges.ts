import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, type Registry } from "prom-client";

/** A finer resolution costs more of an idle core. */
const resolutionMs = 20;

/** Own gauges: on Bun, most of prom-client's default metrics are empty or wrong. */
export function processGauges(registers: Registry[]): void {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  new Gauge({
    name: "reelwright_event_loop_lag_p99_seconds",
    help: "How late timers fired since the last scrape: the 99th percentile.",
    registers,
    collect() {
      this.set(lagOf(delay.percentile(99)));
      maximum.set(lagOf(delay.max));
      delay.reset();
    },
  });
  // after the other, because a scrape reads them in this order
  const maximum = new Gauge({
    name: "reelwright_event_loop_lag_max_seconds",
    help: "How late a timer fired at most since the last scrape.",
    registers,
  });
  new Gauge({
    name: "process_resident_memory_bytes",
    help: "Resident memory of this process, without ffmpeg.",
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Counter({
    name: "process_cpu_seconds_total",
    help: "CPU time of this process, without ffmpeg.",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  new Gauge({
    name: "process_start_time_seconds",
    help: "When this process started, in seconds since 1970.",
    registers,
  }).set(Math.round((Date.now() - performance.now()) / 1000));
}

/** Bun has taken the interval of the timer off these nanoseconds. */
const lagOf = (nanoseconds: number): number => nanoseconds / 1e9;
