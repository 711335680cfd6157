const MEGA = 1_000_000;
const number = new Intl.NumberFormat('it-IT', { maximumFractionDigits: 1 });

export const sizeOf = (bytes: number): string =>
  bytes < MEGA ? `${number.format(Math.ceil(bytes / 1000))} kB` : `${number.format(bytes / MEGA)} MB`;
