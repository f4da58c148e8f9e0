// The data hooks of a product: for its part of the data folder, such as the folder `logs`, and for its rows in the
// state. Save points, exports, backups, `state check` and `reset` call the hooks of all products, mostly while no
// region runs. A product declares them like `open`, so that their code is loaded only when it is needed.
import type { IsFrozen } from '../base/copy-tree.ts';
import type { Piece } from '../core/state/dump/dump-file.ts';
import type { DumpPage, StateEngine, Table } from '../core/state/engine.ts';
import { port } from './ports.ts';

export interface ProductData {
  part?: DataPart; // absent: the product has rows only
  load(): Promise<DataHooks>;
}

export interface DataPart {
  name: string; // of the folder or file in the data folder, and of the option that says where its engine is
  isFile?: true; // it is one file; absent: a folder
  what: string; // the content, in messages: log lines
  backup?: BackupPart; // absent: backups do not have it
}

export interface BackupPart {
  format: number; // the first format of backup files that has it
  // The rows of this table refer to the files: backups contain the part unless it is excluded. Absent: only on request.
  neededBy?: Table;
}

// Hooks that a product does not need are absent.
export interface DataHooks {
  check?(place: CheckedPlace): Promise<DataCheck>;
  checksOutside?: true; // also data that an engine stores elsewhere
  snapshot?: SnapshotHooks;
  restore?: RestoreHooks;
  reset?: ResetHooks;
}

export interface DataPlace {
  path: string; // of the part
  address: string; // of its engine, as the option says it: embedded, here, or that of an engine elsewhere
  engine: StateEngine; // of the rows
}

export interface CheckedPlace extends Omit<DataPlace, 'engine'> {
  engine?: StateEngine; // absent: the part of a save point is checked, without rows
  hasDamagedRows: boolean; // they can't be read
  isRunning: boolean; // a process has the files open
}

export interface DataCheck {
  damage: string[];
  notes?: string[]; // what was not checked, and findings other than damage
  count?: Count; // of what was read
}

export interface Count {
  key: string; // in JSON
  value: number;
  text: string; // 7 files of log lines
}

export interface SnapshotHooks {
  isFrozen?: IsFrozen; // files that never change again: save points link them
  // The files as pieces for a backup, while an engine runs or not. `draft` is a free path for a temporary file.
  pieces?(path: string, draft: string): AsyncIterable<Piece>;
  isHeld?: true; // the running region removes files: it has to hold that while the pieces are read
  // Save points without data leave the part out, and these rows. `copySettings` copies the rest of the part.
  withoutContent?(page: DumpPage): DumpPage;
  copySettings?(from: string, to: string): Promise<void>;
}

export interface RestoreHooks {
  fileOf(piece: string): string | undefined; // the path in the part; undefined: the piece is not of this part
  // Adds the restored files to those that are there, before the state is replaced: the old state keeps all its files.
  // Absent: the restored part replaces the old one after the state.
  add?(draft: string, path: string): Promise<void>;
}

// A reset removes all rows but those of accounts.
export interface ResetHooks {
  keepsPath?(path: string): boolean; // whether the resource at that path belongs to an account
  claims?: readonly string[]; // scopes of claims that stay
  // Removes the content of the part. The result is a sentence for the user.
  empty?(place: ResetPlace): Promise<string | undefined>;
}

export interface ResetPlace extends DataPlace {
  otherNode: string | undefined; // the machine of the node that has the part
}

// Whether an engine keeps its data in the data folder. Simulated machines are rows of the state.
export const isEmbedded = (address = 'embedded'): boolean => ['embedded', 'here', 'simulated'].includes(address);

// Products whose data only the running region can check, or must not remove while it is copied.
export interface RunningData {
  part: string;
  hold(): () => void; // no file that the state refers to is removed until the returned function is called
  check(): Promise<DataCheck>;
}
export const runningData = port<readonly RunningData[]>('running data');
