// This process as the database knows it. Each batch notes its number in the node's row, in its own transaction, so
// who lost the answer can read there whether it was committed. A new connection raises the epoch first: what the old
// one may still be about to do is then refused, and the question is settled for good.
import type { Client } from 'pg';
import { askClient, type Statement } from './connection.ts';

const register: Statement = {
  name: 'register',
  text: `INSERT INTO node (id, epoch, batch, result, seen) VALUES ($1, 1, 0, '', clock_timestamp())
    ON CONFLICT (id) DO UPDATE SET epoch = node.epoch + 1, seen = clock_timestamp() RETURNING epoch, batch, result`,
};
// A node that has written nothing for so long and comes back is registered anew: see `register`.
const forget: Statement = {
  name: 'forget',
  text: "DELETE FROM node WHERE seen < clock_timestamp() - interval '7 days'",
};
export const leave: Statement = { name: 'leave', text: 'DELETE FROM node WHERE id = $1' };

export class NodeRow {
  readonly id: string;
  epoch = 0;
  number = 0; // of the newest batch that was sent
  committed = { batch: 0, result: '' }; // as found at the last registration

  constructor(id: string) {
    this.id = id;
  }

  async register(client: Client): Promise<void> {
    if (this.epoch === 0) await askClient(client, forget);
    const { rows } = await askClient(client, register, [this.id]);
    const [epoch, batch, result] = rows[0] as [number, number, string];
    this.epoch = epoch;
    this.committed = { batch, result };
  }
}
