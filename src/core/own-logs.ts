// What products log of a contract's things, for whoever keeps and searches it. Each product has a source; platform.ts
// hands them over.

export interface OwnLine {
  timeMs: number;
  line: string;
  labels?: Readonly<Record<string, string>>;
}

// Without a region it concerns all of them.
export interface LineOwner {
  contract: number;
  region?: string;
}

export type WriteOwnLine = (owner: LineOwner, line: OwnLine) => void;

export interface LogSource {
  tag: string; // names its stream
  product: string;
  // For what happens: told once how it is written.
  begin?(write: WriteOwnLine): void;
  // For what can be read again: the lines of a time, which may be asked for more than once.
  lines?(contract: number, region: string, fromMs: number, toMs: number): AsyncIterable<OwnLine>;
}

// A location such as de/fra/2 belongs to the region de-fra.
export const regionOfLocation = (location: string): string => location.split('/', 2).join('-');
