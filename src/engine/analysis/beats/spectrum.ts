/** Computes power spectra of frames of `size` samples, a power of two, under a Hann window. */
export function spectrumOf(size: number) {
  const window = Float64Array.from({ length: size }, (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / size));
  const reversed = reversedBits(size);
  const cosines = Float64Array.from({ length: size / 2 }, (_, at) => Math.cos((2 * Math.PI * at) / size));
  const sines = Float64Array.from({ length: size / 2 }, (_, at) => -Math.sin((2 * Math.PI * at) / size));
  const real = new Float64Array(size);
  const imaginary = new Float64Array(size);
  const powers = new Float64Array(size / 2);

  /** The result is valid until the next call. Samples outside of the sound are silent. */
  return (samples: Int16Array, start: number): Float64Array => {
    for (let at = 0; at < size; at++) {
      real[reversed[at]!] = ((samples[start + at] ?? 0) / 32_768) * window[at]!;
    }
    imaginary.fill(0);
    for (let half = 1; half < size; half *= 2) {
      const step = size / (2 * half);
      for (let first = 0; first < size; first += 2 * half) {
        for (let at = first, turn = 0; at < first + half; at++, turn += step) {
          const other = at + half;
          const re = real[other]! * cosines[turn]! - imaginary[other]! * sines[turn]!;
          const im = real[other]! * sines[turn]! + imaginary[other]! * cosines[turn]!;
          real[other] = real[at]! - re;
          imaginary[other] = imaginary[at]! - im;
          real[at] = real[at]! + re;
          imaginary[at] = imaginary[at]! + im;
        }
      }
    }
    for (let at = 0; at < powers.length; at++) powers[at] = real[at]! ** 2 + imaginary[at]! ** 2;
    return powers;
  };
}

function reversedBits(size: number): Uint32Array {
  const bits = Math.log2(size);
  return Uint32Array.from({ length: size }, (_, value) => {
    let reversed = 0;
    for (let bit = 0; bit < bits; bit++) if (value & (1 << bit)) reversed |= 1 << (bits - 1 - bit);
    return reversed;
  });
}
