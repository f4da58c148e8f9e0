// What products measure of a contract's things, minute by minute, for whoever keeps and draws it. Each product has a
// source; platform.ts hands them over.

export interface OwnNumber {
  name: string; // as a metric is called
  labels: Readonly<Record<string, string>>;
  values: readonly (number | undefined)[]; // of each minute that was asked for; undefined: there was nothing
}

// `ends`: when the minutes end, in ms.
export type NumberSource = (contract: number, region: string, ends: readonly number[]) => AsyncIterable<OwnNumber>;

export const minuteMs = 60_000;
