// The row of this process in the database. Each batch writes its number there in its own transaction, so that after a
// lost answer the row tells whether the batch was committed. A new connection first ends the session of the old one,
// whose transaction may still hold locks, and raises the epoch: a batch that the old connection may still be executing
// is then refused, so the answer is final.
import type { Client } from 'pg';
import { askClient, type Statement } from './connection.ts';

const register: Statement = {
  name: 'register',
  text: `INSERT INTO node (id, epoch, batch, result, seen) VALUES ($1, 1, 0, '', clock_timestamp())
    ON CONFLICT (id) DO UPDATE SET epoch = node.epoch + 1, seen = clock_timestamp() RETURNING epoch, batch, result`,
};
// A node that comes back after that long registers again.
const forget: Statement = {
  name: 'forget',
  text: "DELETE FROM node WHERE seen < clock_timestamp() - interval '7 days'",
};
export const leave: Statement = { name: 'leave', text: 'DELETE FROM node WHERE id = $1' };

const session: Statement = {
  name: 'session',
  text: 'SELECT pid, backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()',
};
// The time distinguishes it from another session with the same process id.
const endSession: Statement = {
  name: 'end session',
  text: 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND backend_start::text = $2',
};

export class NodeRow {
  readonly id: string;
  epoch = 0;
  number = 0; // of the newest batch that was sent
  committed = { batch: 0, result: '' }; // as found at the last registration

  constructor(id: string) {
    this.id = id;
  }

  #session: unknown[] | undefined; // of the last connection

  async register(client: Client): Promise<void> {
    if (this.epoch === 0) await askClient(client, forget);
    if (this.#session) await askClient(client, endSession, this.#session);
    this.#session = (await askClient(client, session)).rows[0];
    const { rows } = await askClient(client, register, [this.id]);
    const [epoch, batch, result] = rows[0] as [number, number, string];
    this.epoch = epoch;
    this.committed = { batch, result };
  }
}
