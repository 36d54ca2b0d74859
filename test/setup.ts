import { setDefaultTimeout } from "bun:test";

// The first database of a process is made from nothing, and that takes seconds where other work runs beside it.
setDefaultTimeout(60_000);
