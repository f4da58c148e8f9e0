// The list of valid files, replaced as a whole: files that it does not contain are left over from unfinished work, and
// are removed when the engine is opened.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkedJson, parseCheckedJson } from '../../../base/checked-json.ts';
import { Fault } from '../../../base/fault.ts';
import { replaceFile } from '../../../base/files/whole-file.ts';
import type { LogFile } from './write-ahead-log.ts';

export interface Manifest {
  format: 2;
  next: number; // number of the next new file
  segments: { number: number; bytes: number; dropped: number[] }[]; // `dropped`: positions of removed blocks
  logs?: LogFile[]; // write-ahead logs whose lines are in no segment yet; absent: an earlier version did not list them
  chunks?: boolean; // the list of seen chunks was written
}

type EarlierManifest = Omit<Manifest, 'format' | 'logs'> & { format: 1; logs?: number[] }; // without seeds

export const manifestFile = 'manifest.json';
export const chunksFile = 'chunks.json'; // see seen-chunks.ts

export function readManifest(folder: string): Manifest {
  let text: string;
  try {
    text = readFileSync(join(folder, manifestFile), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return { format: 2, next: 1, segments: [] };
  }
  const manifest = parsed(text);
  if (manifest.format === 1) {
    const { logs, ...rest } = manifest;
    return { ...rest, format: 2, ...(logs && { logs: logs.map((number) => ({ number })) }) };
  }
  const version: number = manifest.format;
  if (version !== 2) throw new Error(`the logs in ${folder} were written by a newer version (format ${version})`);
  return manifest;
}

function parsed(text: string): Manifest | EarlierManifest {
  try {
    return parseCheckedJson(text) as Manifest | EarlierManifest;
  } catch (cause) {
    throw new Fault('unavailable', `The list of the log segments, ${manifestFile}, is damaged. Restore a backup.`, {
      cause,
    });
  }
}

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await replaceFile(join(folder, manifestFile), checkedJson(manifest));
}
