// Opens the state by its address: `postgres://…`, or `sqlite:FOLDER`.
import { Fault } from '../../base/fault.ts';
import type { StateEngine } from './engine.ts';
import { openSqlite } from './sqlite/engine.ts';

export async function openState(address: string, now: () => number): Promise<StateEngine> {
  if (isPostgres(address)) {
    // Loaded only here: a region on SQLite starts faster without it.
    const { openPostgres } = await import('./postgres/engine.ts');
    return openPostgres({ url: address });
  }
  if (address.startsWith('sqlite:')) return openSqlite({ folder: address.slice('sqlite:'.length), now });
  throw new Fault('refused', `A state is sqlite:FOLDER or postgres://…, not ${address.split(':')[0]}:…`);
}

// The address without its password.
export function stateLabel(address: string): string {
  const url = isPostgres(address) ? URL.parse(address) : undefined;
  if (!url) return address;
  const schema = url.searchParams.get('schema') ?? 'cumulet';
  return `postgres://${url.host}${url.pathname}?schema=${schema}`;
}

export const isPostgres = (address: string): boolean => /^postgres(ql)?:/.test(address);
