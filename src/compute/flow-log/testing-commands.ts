// The commands of testing-process.ts, and the folder of its objects.
import { join } from 'node:path';
import type { Packet } from '../network/verdict.ts';

export type Command = { number: number } & (
  | { do: 'make'; nics: { ip: string; firewallActive: boolean }[] } // each with a flow log; returns their ids
  | { do: 'send'; from: string | { ip: string }; to: string; packet: Partial<Packet>; count: number }
  | { do: 'move'; to: number } // moves the clock and publishes due intervals; returns the number of objects
);

export const objectsFolder = (data: string): string => join(data, 'objects');
