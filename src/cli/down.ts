// `down`: asks the region to stop and waits until its process is gone, which is when the folder is free again.
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../base/fault.ts';
import { NotRunning } from './admin-client.ts';
import { type Command, dataOption } from './command.ts';
import { holderOf, isHeld } from './folder.ts';
import { askRegion } from './operations.ts';
import { print } from './screen.ts';

const patienceMs = 30_000;
const lookMs = 20;

export const down: Command = {
  name: 'down',
  about:
    'Stops the region that runs on the data folder, wherever it was started, and returns when it is gone. Calls that ' +
    'are under way may end; what is not done goes on at the next start. Where none runs it says so, and that is no error.',
  options: [dataOption],
  examples: [['cumulet down --data /tmp/second', 'stops the region on that folder']],
  async run(input) {
    const { data } = input;
    if (!isHeld(data)) {
      print(`No region runs on ${data}.`);
      return 0;
    }
    const pid = holderOf(data);
    let asked = false;
    for (const until = performance.now() + patienceMs; isHeld(data); await pause(lookMs)) {
      if (!asked) asked = await askToStop(data);
      if (performance.now() > until) throw stuck(data, pid);
    }
    print(`Stopped the region on ${data}${pid === undefined ? '' : ` (pid ${pid})`}.`);
    return 0;
  },
};

// False: it is not that far yet (it is starting), or farther than that (it stops already).
async function askToStop(data: string): Promise<boolean> {
  try {
    await askRegion(data, 'stop', {});
    return true;
  } catch (error) {
    if (error instanceof NotRunning) return false;
    throw error;
  }
}

function stuck(data: string, pid: number | undefined): Fault {
  const end = pid === undefined ? '' : `: end it with kill -9 ${pid}, which loses nothing`;
  return new Fault('unavailable', `The region on ${data} does not stop within ${patienceMs / 1000} seconds${end}.`);
}
