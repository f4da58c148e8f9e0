// The files of embedded metrics in backups: read from the data folder, and put back there. They are complete on disk
// before the state is replaced, and take the place of the old ones after it.
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { withoutPassword } from '../../config/setting-values.ts';
import type { Piece } from '../../core/state/dump/dump-file.ts';
import type { StateEngine } from '../../core/state/engine.ts';
import { isSnapshotFile, snapshotOf } from '../../monitoring/engine/embedded/snapshot.ts';
import { isEmbedded, otherNode } from './engine-place.ts';

export interface MetricsPlace {
  data: string; // the data folder
  metrics: string; // embedded, here or the address of an engine elsewhere
}

const folderIn = (data: string): string => join(data, 'metrics');

// Throws where they are not in this data folder.
export async function metricsOf(engine: StateEngine, { data, metrics }: MetricsPlace): Promise<AsyncIterable<Piece>> {
  if (!isEmbedded(metrics))
    throw new Fault('refused', `The metrics are kept at ${withoutPassword(metrics)}: back them up there.`);
  const other = await otherNode(engine, data, 'metrics');
  if (other !== undefined)
    throw new Fault('refused', `The metrics are kept by another node, on ${other}: make the backup there.`);
  return snapshotOf(folderIn(data), join(data, 'metrics.db.copy'));
}

export class RestoredMetrics {
  readonly #folder: string;
  readonly #draft: string;
  #open: { name: string; handle: number } | undefined;
  #isBegun = false;

  constructor(data: string) {
    this.#folder = folderIn(data);
    this.#draft = join(data, 'metrics.restoring');
  }

  add({ name, bytes }: Piece): void {
    if (!isSnapshotFile(name)) throw new Fault('refused', `The backup holds a file ${name}, which is none of metrics.`);
    if (!this.#isBegun) {
      this.discard();
      mkdirSync(this.#draft, { recursive: true, mode: 0o700 });
      this.#isBegun = true;
    }
    if (this.#open?.name !== name) {
      this.#closeFile();
      this.#open = { name, handle: openSync(join(this.#draft, name), 'wx', 0o600) };
    }
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#open.handle, bytes, at);
  }

  // True: there were some. From here on the region has these.
  replace(): boolean {
    this.#closeFile();
    if (!this.#isBegun) return false;
    rmSync(this.#folder, { recursive: true, force: true });
    renameSync(this.#draft, this.#folder);
    return true;
  }

  discard(): void {
    this.#closeFile();
    rmSync(this.#draft, { recursive: true, force: true });
  }

  #closeFile(): void {
    if (!this.#open) return;
    fsyncSync(this.#open.handle);
    closeSync(this.#open.handle);
    this.#open = undefined;
  }
}
