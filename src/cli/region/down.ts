// `down`: asks the region to stop and waits until its process is gone, which is a moment after it unlocks the folder.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../base/fault.ts';
import { type Command, dataOption } from '../../command/command.ts';
import { print } from '../../command/terminal.ts';
import { isLocked, lockFile, lockHolder } from '../../region-data/data-folder.ts';
import { NotRunning } from '../admin/client.ts';
import { askRegion } from '../admin/operations.ts';

const leastLimitMs = 30_000; // in addition to the time that the region gives to running calls
const pollMs = 20;

export const down: Command = {
  name: 'down',
  about:
    'Stops the region on the data folder, wherever it was started, and returns when it has ended. Running calls ' +
    'may finish; pending operations continue at the next start. Real machines are shut down, and ' +
    'boot again at the next start. It is not an error if no region runs.',
  options: [{ name: 'keep-machines', help: 'keep real machines running; the next start finds them again' }, dataOption],
  examples: [['cumulet down --data /tmp/second', 'stop the region on that folder']],
  async run(input) {
    const { data } = input;
    if (!isLocked(data)) {
      print(`No region runs on ${data}.`);
      return 0;
    }
    const pid = lockHolder(data);
    const birth = pid === undefined ? undefined : holderStartTime(pid, data);
    const startedAt = performance.now();
    let limitMs = leastLimitMs;
    const poll = async (): Promise<void> => {
      if (performance.now() > startedAt + limitMs) throw stuck(data, pid, limitMs);
      await pause(pollMs);
    };
    for (let allowedMs: number | undefined; isLocked(data); await poll()) {
      allowedMs ??= await askToStop(data, input.has('keep-machines'));
      limitMs = leastLimitMs + (allowedMs ?? 0);
    }
    while (pid !== undefined && birth !== undefined && startTimeOf(pid) === birth) await poll();
    print(`Stopped the region on ${data}${pid === undefined ? '' : ` (pid ${pid})`}.`);
    return 0;
  },
};

// The time that running calls may take. Undefined: the socket is not open, because the region is still starting or
// already stopping.
async function askToStop(data: string, keepsMachines: boolean): Promise<number | undefined> {
  try {
    return (await askRegion(data, 'stop', { keepsMachines })).limitMs;
  } catch (error) {
    if (error instanceof NotRunning) return undefined;
    throw error;
  }
}

// Checks that the process has the lock file open: the pid may be stale, or one inside a container.
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
    return undefined; // ended, another user's, or no /proc: the lock alone must suffice
  }
}

// The start time distinguishes a process from a later one with the same pid. Undefined if it has ended or is a zombie.
function startTimeOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' '); // the process name before it may contain anything
    return /[ZX]/.test(fields[0] ?? '') ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function stuck(data: string, pid: number | undefined, limitMs: number): Fault {
  const end = pid === undefined ? '' : `: end it with kill -9 ${pid}, which loses nothing`;
  return new Fault('unavailable', `The region on ${data} does not stop within ${limitMs / 1000} seconds${end}.`);
}
