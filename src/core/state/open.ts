// The state engines by the scheme of their addresses. An engine is loaded when it is opened.
import { atDatabase, atFolder, type EngineTable, opener } from '../engines/engine-table.ts';
import type { StateEngine } from './engine.ts';

type Open = (address: string, now: () => number) => Promise<StateEngine>;

export const stateEngines: EngineTable<Open> = {
  sqlite: {
    at: atFolder,
    async open(address, now) {
      const { openSqlite } = await import('./sqlite/engine.ts');
      return openSqlite({ folder: address.slice('sqlite:'.length), now });
    },
  },
  'postgres(ql)': {
    at: atDatabase,
    open: async (url) => (await import('./postgres/engine.ts')).openPostgres({ url }),
  },
};

export const openState: Open = async (address, now) => opener(stateEngines, address)(address, now);

// The address without its password.
export function stateLabel(address: string): string {
  const url = isPostgres(address) ? URL.parse(address) : undefined;
  if (!url) return address;
  const schema = url.searchParams.get('schema') ?? 'cumulet';
  return `postgres://${url.host}${url.pathname}?schema=${schema}`;
}

export const isPostgres = (address: string): boolean => /^postgres(ql)?:/.test(address);
