/** The reason of signals that abort because the process stops: what was interrupted can be continued later. */
export const processStopped = new Error("The process stops.");

/** Nothing continues these requests: they end as if their client had left, and answer 503. */
export const requestInterrupted = new Error("The process stops, and the request with it.");

export const isProcessStop = ({ reason }: AbortSignal): boolean => reason === processStopped;
