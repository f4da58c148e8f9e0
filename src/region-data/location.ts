// The location of a state, parsed from its address, and how to open one without a region: only while none runs on it,
// and with the data folder's lock held, so that none starts in the meantime.
import { resolve } from 'node:path';
import { machineTime } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { quoted, self } from '../config/command-line.ts';
import { aboutIn } from '../core/nodes/node.ts';
import type { Lease, StateEngine } from '../core/state/engine.ts';
import { isPostgres, openState } from '../core/state/open.ts';
import { demandNoNode, hasState, homeOf, isLocked, lockFolder, lockHolder } from './data-folder.ts';

export interface StateLocation {
  address: string;
  label: string; // without a password
  folder: string | undefined; // of SQLite
}

export interface OpenLocation {
  engine: StateEngine;
  close(): Promise<void>;
}

export async function locationOf(option: string, text: string): Promise<StateLocation> {
  if (isPostgres(text)) {
    const { parseAddress } = await import('../core/state/postgres/address.ts');
    return { address: text, label: parseAddress(text).label, folder: undefined };
  }
  const [, path = ''] = /^sqlite:(.+)$/.exec(text) ?? [];
  if (path === '') throw new Fault('refused', `--${option} expects sqlite:FOLDER or postgres://…`);
  const folder = resolve(path);
  return { address: `sqlite:${folder}`, label: `sqlite:${folder}`, folder };
}

// A `source` must exist.
export async function openOffline(place: StateLocation, role: 'source' | 'target'): Promise<OpenLocation> {
  if (place.folder !== undefined) return openFolder(place.folder, place.address, role);
  const engine = await openState(place.address, machineTime);
  try {
    const alive = await liveNodes(engine);
    if (alive.length > 0) throw inUse(place.label, alive);
  } catch (error) {
    await engine.close();
    throw error;
  }
  return { engine, close: () => engine.close() };
}

export async function openForReading(place: StateLocation): Promise<OpenLocation> {
  if (place.folder !== undefined) return openFolder(place.folder, place.address, 'source');
  const engine = await openState(place.address, machineTime);
  return { engine, close: () => engine.close() };
}

async function openFolder(folder: string, address: string, role: 'source' | 'target'): Promise<OpenLocation> {
  if (role === 'source' && !hasState(folder)) {
    demandNoNode(folder);
    throw new Fault('missing', `${folder} contains no state: state.db is missing.`);
  }
  if (isLocked(folder)) {
    const pid = lockHolder(folder);
    const who = pid === undefined ? '' : ` (pid ${pid})`;
    const how = `stop it first, with ${self()} down --data ${quoted(homeOf(folder))}`;
    throw new Fault('conflict', `A region runs on ${folder}${who}: ${how}.`);
  }
  const held = lockFolder(folder, role === 'source' ? 'here' : 'any');
  try {
    const engine = await openState(address, machineTime);
    return {
      engine,
      async close() {
        await engine.close();
        held.release();
      },
    };
  } catch (error) {
    held.release();
    throw error;
  }
}

export const liveNodes = async (engine: StateEngine, own = ''): Promise<Lease[]> =>
  (await engine.leases('node ')).filter(({ leftMs, name }) => leftMs > 0 && name !== `node ${own}`);

export function inUse(label: string, alive: readonly Lease[]): Fault {
  const who = alive.map(({ holder }) => aboutIn(holder)).join(', ');
  const [nodes, it] = alive.length === 1 ? ['1 node runs', 'it'] : [`${alive.length} nodes run`, 'them'];
  const wait = 'a killed one counts for six more seconds';
  return new Fault('conflict', `${nodes} on ${label} (${who}): stop ${it} first; ${wait}.`);
}
