/** The reason of signals that abort because the process stops: what was interrupted can be continued later. */
export const processStopped = new Error("The process stops.");

export const isProcessStop = ({ reason }: AbortSignal): boolean => reason === processStopped;
