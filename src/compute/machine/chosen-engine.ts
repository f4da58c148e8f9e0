// The machine engine that the region's rows belong to. It is stored with the state, so a start with another engine is
// refused as long as a row has a handle of the first. A file in the data folder names an engine that stores disks, for
// commands that copy the folder.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { RegionSecrets } from '../../core/region-secrets.ts';
import type { Store } from '../../core/store.ts';
import { engineFile, machinesFolder } from '../../surface/stored-disks.ts';
import { otherEngine } from './engines.ts';

const keptAs = 'machine-engine';

export async function demandEngine(store: Store, secrets: RegionSecrets, setting: string, data: string): Promise<void> {
  const wanted = setting.startsWith('docker') ? 'docker' : setting;
  const kept = await secrets.load(keptAs);
  if (kept === wanted || (kept === undefined && wanted === 'simulated')) return;
  const before = kept ?? 'simulated'; // a folder of a version that had no other engine
  if (await hasHandles(store, before)) throw otherEngine(before, wanted);
  rmSync(engineFile(data), { force: true });
  if (wanted !== 'simulated') {
    mkdirSync(machinesFolder(data), { recursive: true, mode: 0o700 });
    writeFileSync(engineFile(data), `${JSON.stringify({ engine: wanted })}\n`, { mode: 0o600 });
  }
  await secrets.save(keptAs, wanted);
}

async function hasHandles(store: Store, engine: string): Promise<boolean> {
  const sought = `"engine":"${engine}"`;
  for await (const { kind, hidden } of store.each({ below: '' }))
    if (/^(?:server|volume|snapshot)$/.test(kind) && hidden.includes(sought)) return true;
  return false;
}
