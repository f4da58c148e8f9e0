// The keys of pipelines that a seed created: they are shown once, so a file in the data folder keeps them.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withChecksum } from '../base/checked-json.ts';
import type { Config } from '../config/sections.ts';
import { keysFile } from '../region-data/data-folder.ts';
import type { Applied } from './apply-seed.ts';

// Added to the keys of earlier seeds, which are shown only once.
export function keepKeys({ config }: { config: Config }, { keys }: Applied): { keysFile?: string } {
  if (Object.keys(keys).length === 0) return {};
  const file = join(config.data, keysFile);
  const kept = keysIn(file);
  for (const [section, found] of Object.entries(keys)) kept[section] = { ...kept[section], ...found };
  writeFileSync(`${file}.new`, `${JSON.stringify(withChecksum(kept), null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return { keysFile: file };
}

function keysIn(file: string): Applied['keys'] {
  try {
    const { checksum: _, ...keys } = JSON.parse(readFileSync(file, 'utf8')) as Applied['keys'];
    return keys;
  } catch {
    return {}; // there is none yet
  }
}
