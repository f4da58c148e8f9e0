// Whether a machine engine stores the disks of a region outside its data folder. A file in the folder says so.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';

export const machinesFolder = (data: string): string => join(data, 'machines');
export const engineFile = (data: string): string => join(machinesFolder(data), 'engine.json');

// A copy of the data folder has no contents of disks that an engine stores elsewhere, and a restore of it would have
// empty disks. `what`: what would be made, as the subject of a sentence.
export function demandOwnDisks(data: string, what: string): void {
  if (!existsSync(engineFile(data))) return;
  const { engine } = JSON.parse(readFileSync(engineFile(data), 'utf8')) as { engine: string };
  throw new Fault(
    'refused',
    `${what} would lack the contents of the disks, which the machine engine "${engine}" stores. Take snapshots of the ` +
      'volumes, or copy the Docker volumes of this region.',
  );
}
