// Where an embedded data engine is: in this data folder, in that of another node, or in an engine elsewhere.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StateEngine } from '../../core/state/engine.ts';

export const isEmbedded = (address: string): boolean => address === 'embedded' || address === 'here';

// The machine of another node on the same state that has the engine's data.
export async function otherNode(
  engine: StateEngine,
  data: string,
  name: 'metrics' | 'logs' | 'objects',
): Promise<string | undefined> {
  const claim = engine.exclusive ? undefined : await engine.get('claim', 0, 'engine', name);
  if (!claim) return undefined;
  const { id, host = 'another machine' } = JSON.parse(claim.body) as { id: string; host?: string };
  return id === tagIn(data, name) ? undefined : host;
}

function tagIn(data: string, name: string): string | undefined {
  try {
    return readFileSync(join(data, `${name}.id`), 'utf8').trim();
  } catch {
    return undefined;
  }
}
