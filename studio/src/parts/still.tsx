/** A frame of a film's file, at a time when its words are visible. */
export const Still = ({ url }: { url: string }) => (
  <video src={`${url}#t=1`} preload="metadata" muted playsInline tabIndex={-1} aria-hidden="true" />
);
