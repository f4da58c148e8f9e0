// The logs that products write about the resources of a contract. Each product has a source; platform.ts connects the
// sources to the product that stores logs.

export interface ResourceLogLine {
  timeMs: number;
  line: string;
  labels?: Readonly<Record<string, string>>;
}

// Without a region it concerns all of them.
export interface LogLineOwner {
  contract: number;
  region?: string;
}

export type WriteLogLine = (owner: LogLineOwner, line: ResourceLogLine) => void;

export interface LogSource {
  tag: string; // names its stream
  product: string;
  // For events: called once with how they are written.
  begin?(write: WriteLogLine): void;
  // For logs that can be read again: the lines of a time, which may be requested more than once.
  lines?(contract: number, region: string, fromMs: number, toMs: number): AsyncIterable<ResourceLogLine>;
}

// A location such as de/fra/2 belongs to the region de-fra.
export const regionOfLocation = (location: string): string => location.split('/', 2).join('-');
