// `down`: asks the region to stop and waits until its process is gone, which is a moment after it unlocks the folder.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../base/fault.ts';
import { NotRunning } from '../admin/client.ts';
import { askRegion } from '../admin/operations.ts';
import { type Command, dataOption } from '../command.ts';
import { print } from '../terminal.ts';
import { isLocked, lockFile, lockHolder } from './data-folder.ts';

const patienceMs = 30_000;
const pollMs = 20;

export const down: Command = {
  name: 'down',
  about:
    'Stops the region that runs on the data folder, wherever it was started, and returns when it has ended. Calls that ' +
    'are running may finish; operations that are not done continue at the next start. If none runs, that is no error.',
  options: [dataOption],
  examples: [['cumulet down --data /tmp/second', 'stops the region on that folder']],
  async run(input) {
    const { data } = input;
    if (!isLocked(data)) {
      print(`No region runs on ${data}.`);
      return 0;
    }
    const pid = lockHolder(data);
    const birth = pid === undefined ? undefined : holderStartTime(pid, data);
    const until = performance.now() + patienceMs;
    const poll = async (): Promise<void> => {
      if (performance.now() > until) throw stuck(data, pid);
      await pause(pollMs);
    };
    for (let asked = false; isLocked(data); await poll()) if (!asked) asked = await askToStop(data);
    while (pid !== undefined && birth !== undefined && startTimeOf(pid) === birth) await poll();
    print(`Stopped the region on ${data}${pid === undefined ? '' : ` (pid ${pid})`}.`);
    return 0;
  },
};

// False: the socket is not open, because the region is still starting or already stopping.
async function askToStop(data: string): Promise<boolean> {
  try {
    await askRegion(data, 'stop', {});
    return true;
  } catch (error) {
    if (error instanceof NotRunning) return false;
    throw error;
  }
}

// Checks that the process has the lock file open: the pid may be stale, or be the one inside a container.
function holderStartTime(pid: number, data: string): string | undefined {
  try {
    const { dev, ino } = statSync(lockFile(data));
    const folder = `/proc/${pid}/fd`;
    const hasLock = readdirSync(folder).some((name) => {
      const open = statSync(`${folder}/${name}`, { throwIfNoEntry: false });
      return open?.ino === ino && open.dev === dev;
    });
    return hasLock ? startTimeOf(pid) : undefined;
  } catch {
    return undefined; // gone, another user's, or no /proc: the lock alone has to do
  }
}

// The start time tells a process from a later one with the same pid. Undefined if it is gone or a zombie.
function startTimeOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' '); // the process name before it may hold anything
    return /[ZX]/.test(fields[0] ?? '') ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function stuck(data: string, pid: number | undefined): Fault {
  const end = pid === undefined ? '' : `: end it with kill -9 ${pid}, which loses nothing`;
  return new Fault('unavailable', `The region on ${data} does not stop within ${patienceMs / 1000} seconds${end}.`);
}
