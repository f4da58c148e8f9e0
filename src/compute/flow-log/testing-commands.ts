// What testing-process.ts is told, and where it writes objects.
import { join } from 'node:path';
import type { Packet } from '../network/verdict.ts';

export type Command = { number: number } & (
  | { do: 'make'; nics: { ip: string; firewallActive: boolean }[] } // each with a flow log; tells their ids
  | { do: 'send'; from: string | { ip: string }; to: string; packet: Partial<Packet>; count: number }
  | { do: 'move'; to: number } // moves the clock and publishes what is due; tells how many objects there are
);

export const objectsFolder = (data: string): string => join(data, 'objects');
