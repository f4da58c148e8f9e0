// `down`: asks the region to stop and waits until its process is gone, a moment after the folder is free again.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../base/fault.ts';
import { NotRunning } from '../account/admin-client.ts';
import { type Command, dataOption } from '../command.ts';
import { holderOf, isHeld, lockIn } from './folder.ts';
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
    const birth = pid === undefined ? undefined : birthOfHolder(pid, data);
    const until = performance.now() + patienceMs;
    const look = async (): Promise<void> => {
      if (performance.now() > until) throw stuck(data, pid);
      await pause(lookMs);
    };
    for (let asked = false; isHeld(data); await look()) if (!asked) asked = await askToStop(data);
    while (pid !== undefined && birth !== undefined && birthOf(pid) === birth) await look();
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

// Whether it has the lock open is looked at because the number may be of a process that is gone, or, where the region
// runs in a container, of one in there.
function birthOfHolder(pid: number, data: string): string | undefined {
  try {
    const { dev, ino } = statSync(lockIn(data));
    const folder = `/proc/${pid}/fd`;
    const hasLock = readdirSync(folder).some((name) => {
      const open = statSync(`${folder}/${name}`, { throwIfNoEntry: false });
      return open?.ino === ino && open.dev === dev;
    });
    return hasLock ? birthOf(pid) : undefined;
  } catch {
    return undefined; // gone, another user's, or no Linux: the lock has to do
  }
}

// When it began, which tells it from another one that gets its number later; undefined where it is gone. One whose
// parent has not asked how it ended is gone too.
function birthOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' '); // its name before may hold anything
    return /[ZX]/.test(fields[0] ?? '') ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function stuck(data: string, pid: number | undefined): Fault {
  const end = pid === undefined ? '' : `: end it with kill -9 ${pid}, which loses nothing`;
  return new Fault('unavailable', `The region on ${data} does not stop within ${patienceMs / 1000} seconds${end}.`);
}
