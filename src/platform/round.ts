const roundTo = (parts: number) => (value: number) => Math.round(value * parts) / parts;

export const toTenths = roundTo(10);
export const toHundredths = roundTo(100);
export const toThousandths = roundTo(1000);
export const toTenThousandths = roundTo(10_000);
