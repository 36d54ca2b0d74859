/** The reason of signals that abort because the process stops: the interrupted work can be resumed later. */
export const processStopped = new Error("The process stops.");

/** The reason for requests that cannot be resumed: they end as if their client had left, with 503. */
export const requestInterrupted = new Error("The process stops, and the request with it.");

export const isProcessStop = ({ reason }: AbortSignal): boolean => reason === processStopped;
