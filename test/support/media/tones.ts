/** The level of one tone, in decibels. */
export function levelOfTone(samples: Float32Array, frequency: number, startSeconds: number, seconds: number): number {
  const part = samples.subarray(startSeconds * 48_000, (startSeconds + seconds) * 48_000);
  const turn = (2 * Math.PI * frequency) / 48_000;
  const cosine = part.reduce((sum, level, index) => sum + level * Math.cos(turn * index), 0);
  const sine = part.reduce((sum, level, index) => sum + level * Math.sin(turn * index), 0);
  return 20 * Math.log10((2 * Math.hypot(cosine, sine)) / part.length + 1e-9);
}
