// Runs a region in this process: takes the folder's lock, starts the platform, opens the admin socket, and undoes all
// of it in reverse order at the end. A second Ctrl-C ends the process at once, which loses no data.
import { rmSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createClock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { Unexpected } from '../../command/command.ts';
import { environment } from '../../config/environment.ts';
import type { Config } from '../../config/sections.ts';
import type { Region } from '../../platform.ts';
import { type LockedFolder, lockFolder } from '../../region-data/data-folder.ts';
import type { Seeded } from '../../seeds/apply-seed.ts';
import { operationsOf } from '../admin/handlers.ts';
import { type Admin, openAdmin } from '../admin/server.ts';
import { onOrphaned } from './ephemeral.ts';
import { Lifecycle } from './lifecycle.ts';
import { bufferedLog, bufferedSink, type LineSink, openLogFile, screenLog } from './log-file.ts';
import type { OutputMode } from './output-mode.ts';
import { outcomeOf } from './seeded.ts';
import { announce } from './welcome.ts';

const { real } = createClock();
const settleMs = 300;

export interface Seeding {
  path: string;
  keepsIds: boolean;
}

export interface ServeOptions {
  seed?: Seeding | undefined;
  ephemeral?: boolean; // the folder is removed with the region, and the region ends with the process that started it
}

export async function serve(config: Config, mode: OutputMode, { seed, ephemeral }: ServeOptions = {}): Promise<number> {
  const folder = lockFolders(config);
  const { log, details, sink, file } = openLogs(config, mode);
  process.on('exit', sink.flush);
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  // The region can't serve any more. The state is consistent, and the next start continues from it.
  const onDead = (cause: unknown): void => {
    log.error('did not start again', { error: cause });
    process.stderr.write(`cumulet: the region did not start again: ${firstLine(cause)}\n`);
    setTimeout(end, settleMs, 1); // the response is sent first
  };
  const lifecycle = new Lifecycle(config, log, file, onDead);
  let admin: Admin;
  let seeded: Seeded | undefined;
  try {
    lifecycle.isSeeding = seed !== undefined;
    await lifecycle.start();
    seeded = seed && (await sow(lifecycle.running().region, seed, log));
    lifecycle.isSeeding = false;
    const handlers = operationsOf({
      running: () => lifecycle.running(),
      offline: (work) => lifecycle.offline(work),
      exclusively: (work) => lifecycle.exclusively(work),
      savePoints: lifecycle.savePoints,
      demo: lifecycle.demo,
      stop: (keepsMachines) => {
        lifecycle.keepsMachines = keepsMachines;
        stop('down');
      },
      stopLimitMs: (config.gateway.drainMs ?? 0) + config.gateway.stopLimitMs,
      log,
    });
    admin = await openAdmin(folder.path, handlers, log);
  } catch (error) {
    await lifecycle.stop();
    folder.release();
    if (ephemeral && error instanceof Fault) rmSync(folder.path, { recursive: true, force: true });
    if (error instanceof Fault) throw error;
    details.error('start failed', { error });
    throw new Unexpected(`the region did not start: ${firstLine(error)}`, file);
  }
  const { region, ready: facts } = lifecycle.running();
  const ready = { ...facts, ...(seeded && { seeded: outcomeOf(seeded) }) };
  watchForBugs(details, file);

  let stopping = false;
  const stop = (why: string): void => {
    if (stopping && why === 'SIGINT') process.exit(130);
    if (stopping) return;
    stopping = true;
    tell(mode, 'stopping');
    const answered = admin.close();
    const finish = lifecycle.stop().then(async () => {
      await Promise.race([answered, pause(settleMs)]); // does not wait for clients that don't read their response
      folder.release();
      if (ephemeral) rmSync(folder.path, { recursive: true, force: true });
      else log.info('stopped', { why });
      tell(mode, 'stopped');
    });
    finish.then(
      () => end(0),
      (error: unknown) => {
        log.error('stop failed', { error });
        end(1);
      },
    );
  };
  if (ephemeral) onOrphaned(() => stop('orphaned'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal));

  log.info('ready', { version: ready.version, gateway: ready.gateway, pid: ready.pid });
  if (mode.background) process.send?.(ready, () => process.disconnect?.());
  else announce(ready, mode, ownerNote(region));
  // Saves the compile cache now, in case this process is killed later.
  setTimeout(flushCompileCache, settleMs).unref();
  process.exit(await ended);
}

// Before the region is announced as ready.
async function sow(region: Region, { path, keepsIds }: Seeding, log: Log): Promise<Seeded | undefined> {
  const { seedOnce } = await import('../../seeds/region-seed.ts');
  const seeded = await seedOnce(region, path, keepsIds);
  if (seeded) log.info('seeded', { path, created: seeded.created, existing: seeded.existing });
  return seeded;
}

const firstLine = (error: unknown): string =>
  String(error instanceof Error ? error.message : error).split('\n')[0] ?? '';

interface Logs {
  log: Log;
  details: Log; // only for the file
  sink: LineSink;
  file: string | undefined;
}

// Locks the data folder, and the folder of the state if that is another one.
function lockFolders({ data, state }: Config): LockedFolder {
  const seat = /^sqlite:(.*)$/.exec(state)?.[1];
  if (seat === data) return lockFolder(data);
  const folder = lockFolder(data, 'elsewhere');
  try {
    const other = seat === undefined ? undefined : lockFolder(seat, 'any', data);
    return {
      path: folder.path,
      release() {
        other?.release();
        folder.release();
      },
    };
  } catch (error) {
    folder.release();
    throw error;
  }
}

function openLogs(config: Config, mode: OutputMode): Logs {
  if (mode.json && !mode.background) {
    const sink = bufferedSink((text) => void process.stderr.write(text));
    process.stderr.on('error', () => {}); // the reader closed the pipe
    const log = bufferedLog(sink, real);
    return { log, details: log, sink, file: undefined };
  }
  const file = join(config.data, 'cumulet.log');
  const sink = openLogFile(file);
  const details = bufferedLog(sink, real);
  const log = mode.background ? details : screenLog(details, (line) => void process.stderr.write(line), real);
  return { log, details, sink, file };
}

// From here on an uncaught error ends the process: the state is safe, and the next start continues from it.
function watchForBugs(details: Log, file: string | undefined): void {
  process.on('uncaughtException', (error) => {
    details.error('unexpected', { error });
    const where = file === undefined ? '' : `; see ${file} for details`;
    process.stderr.write(`cumulet: ended by an unexpected error: ${firstLine(error)}${where}\n`);
    process.exit(1);
  });
}

const ownerNote = ({ config }: Region): string =>
  environment.ownerPassword() === undefined ? join(config.data, 'owner.json') : '';

function tell(mode: OutputMode, event: 'stopping' | 'stopped'): void {
  if (mode.background) return;
  if (mode.json) process.stdout.write(`${JSON.stringify({ event })}\n`);
  else if (event === 'stopped') process.stdout.write('Stopped. All data is in the data folder.\n');
  else process.stdout.write('\nStopping: waiting for running calls. Press Ctrl-C again to stop at once.\n');
}
