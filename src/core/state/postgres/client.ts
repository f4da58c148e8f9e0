// Clients of pg with our settings for the session, and a way to cut one off.
import { Socket } from 'node:net';
import type { Client, ClientConfig } from 'pg';
import type { Address } from './address.ts';

export type Connect = (more?: ClientConfig) => Promise<Client>;

const sockets = new WeakMap<Client, Socket>();

// Closes the connection at once; `end` would wait for all answers.
export const destroyClient = (client: Client): void => void sockets.get(client)?.destroy();

const statementMs = 10_000;
// Every query has an index for its key, so a plan without it can only come from outdated statistics.
const settings = [
  'synchronous_commit=on',
  'default_transaction_isolation=read\\ committed',
  'default_transaction_read_only=off',
  `statement_timeout=${statementMs}`,
  'lock_timeout=5000',
  `idle_in_transaction_session_timeout=${statementMs}`,
  'plan_cache_mode=force_generic_plan',
  'jit=off',
  'enable_seqscan=off',
  'enable_bitmapscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
];

// pg is loaded only here: a region on SQLite starts without it.
export async function connector({ config, schema }: Address): Promise<Connect> {
  const { default: pg } = await import('pg');
  const options = [...settings, `search_path=${schema}`].map((one) => `-c ${one}`).join(' ');
  return async (more) => {
    const socket = new Socket();
    const client = new pg.Client({
      ...config,
      options,
      types: { getTypeParser: typeParser } as unknown as NonNullable<ClientConfig['types']>,
      keepAlive: true,
      connectionTimeoutMillis: 5000,
      query_timeout: statementMs + 5000, // for a server that does not even report its own timeout
      pipeline: true,
      stream: () => socket,
      ...more,
    } as ClientConfig);
    sockets.set(client, socket);
    // Without a listener, a connection that breaks while it is being opened would end the process.
    client.on('error', () => {});
    await client.connect();
    return client;
  };
}

const numeric = new Set([20, 23]);
const asText = (value: string): string => value;
const asTruth = (value: string): boolean => value === 't';
const typeParser = (oid: number) => (numeric.has(oid) ? Number : oid === 16 ? asTruth : asText);
