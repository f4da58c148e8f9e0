// A process that captures and publishes the flows of NICs on its own state, with files for objects. Tests fork it, kill
// it and start it again on the same folder. It takes one command per message, and replies with its number.
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { uuid } from '../../base/ids.ts';
import { openSqlite } from '../../core/state/sqlite/engine.ts';
import { Store } from '../../core/store.ts';
import type { ObjectWriter } from '../../surface/ports.ts';
import { datacenter, packet } from '../network/contract/samples.ts';
import { rowsOf, writeRows } from '../network/testing.ts';
import { everywhereHome, flowLogWorld, nicOf } from './testing.ts';
import { type Command, objectsFolder } from './testing-commands.ts';

const [folder = '', time = ''] = process.argv.slice(2);
const contract = 1;

class FileObjects implements ObjectWriter {
  #folder = objectsFolder(folder);
  #count = 0;

  readonly home = everywhereHome;

  canWrite(): Promise<boolean> {
    return Promise.resolve(existsSync(this.#folder));
  }

  put(_contract: number, _bucket: string, key: string, body: Buffer): Promise<void> {
    const torn = join(folder, `torn-${process.pid}-${this.#count++}`);
    writeFileSync(torn, body);
    renameSync(torn, join(this.#folder, key));
    return Promise.resolve();
  }

  exists(_contract: number, _bucket: string, key: string): Promise<boolean> {
    return Promise.resolve(existsSync(join(this.#folder, key)));
  }
}

async function serve(): Promise<void> {
  mkdirSync(objectsFolder(folder), { recursive: true });
  const engine = await openSqlite({ folder, now: () => Number(time), checkpoint: false });
  const world = flowLogWorld(new Store(engine), new FileObjects(), { time: Number(time) });
  const perform = async (command: Command): Promise<unknown> => {
    if (command.do === 'make') return make(world, command.nics);
    if (command.do === 'move') {
      world.clock.time = command.to;
      await world.publish();
      return readdirSync(objectsFolder(folder)).length;
    }
    const sent = packet(command.from, command.to, command.packet);
    const shown = await world.traffic.send(contract, sent, { count: command.count, sourcePortStep: 1 });
    return shown.length;
  };
  process.on('message', (command: Command) => {
    void perform(command).then((result) => process.send?.({ number: command.number, result }));
  });
  process.send?.({ number: 0 });
}

async function make(
  { store, addFlowLog }: ReturnType<typeof flowLogWorld>,
  wanted: (Command & { do: 'make' })['nics'],
): Promise<string[]> {
  const nics = wanted.map(({ ip, firewallActive }) => nicOf(1, ip, { firewallActive }));
  const id = uuid();
  await writeRows(store, rowsOf(datacenter(id, { nics }), contract));
  for (const nic of nics) await addFlowLog(contract, `datacenters/${id}/servers/${nic.server}/nics/${nic.id}`);
  return nics.map((nic) => nic.id);
}

await serve();
