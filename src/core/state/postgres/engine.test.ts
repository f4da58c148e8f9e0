// The state contract over a real PostgreSQL, started by the test itself.
import { after } from 'node:test';
import pg from 'pg';
import { freshUrl } from '../../../testing/postgres.ts';
import { stateContract } from '../contract/contract.ts';
import { openPostgres } from './engine.ts';

const urls = new Map<string, string>();
let sleeper: pg.Client | undefined;
after(() => sleeper?.end());

stateContract(
  'postgres',
  async (folder) => {
    const url = urls.get(folder) ?? (await freshUrl());
    urls.set(folder, url);
    return openPostgres({ url });
  },
  {
    // Leases go by the database's own time, so it is the database that waits.
    pass: async (ms) => {
      if (!sleeper) {
        const url = new URL(await freshUrl());
        url.search = '';
        sleeper = new pg.Client({ connectionString: url.href });
        await sleeper.connect();
      }
      await sleeper.query('SELECT pg_sleep($1)', [ms / 1000]);
    },
  },
);
