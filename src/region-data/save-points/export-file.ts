// Converts the files of a save point to one portable file, and back. Its secrets are sealed with a passphrase, so that
// a region with another key can open them. The file is written completely or not at all, and becomes a save point only
// when it was read to its end and its checksum is correct.
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { machineTime } from '../../base/clock.ts';
import { measureTree } from '../../base/copy-tree.ts';
import { Fault } from '../../base/fault.ts';
import { spaceGuard } from '../../base/free-space.ts';
import { readOrMakeSeal } from '../../core/region-secrets.ts';
import { tapped, totalOf } from '../../core/state/dump/dump.ts';
import { type DumpHeader, dumpFormat, type ExportedSavePoint, type Piece } from '../../core/state/dump/dump-file.ts';
import { readDump, readHeader } from '../../core/state/dump/dump-reader.ts';
import { piecesOf } from '../../core/state/dump/file-pieces.ts';
import { resealed } from '../../core/state/dump/reseal.ts';
import { openState } from '../../core/state/open.ts';
import type { SavePointEntry } from '../../surface/ports.ts';
import { FolderDraft } from '../part-draft.ts';
import { parts, type RegionPlace, unknownFile } from '../parts.ts';
import { demandOpen, sealOf, writeSnapshot } from '../snapshot-file.ts';
import { withoutContent, writeState } from './infrastructure.ts';
import { exportingOf } from './restore-files.ts';
import { copyParts, draftData, inDraft, withRoom } from './savepoint-files.ts';

export interface ExportRequest {
  file: string; // an absolute path
  force: boolean;
  infrastructure: boolean;
  passphrase: string;
}

export interface Exported {
  name: string;
  file: string;
  rows: number;
  dataBytes: number; // of the files other than the state
  infrastructure: boolean;
}

type Place = Pick<RegionPlace, 'data' | 'key'>;

// `from`: the data of a save point. The state is opened in a copy, because that changes its files.
export async function writeExport(
  { data, key }: Place,
  from: string,
  savePoint: ExportedSavePoint,
  { file, force, infrastructure, passphrase }: ExportRequest,
): Promise<Exported> {
  const copy = exportingOf(data);
  await rm(copy, { recursive: true, force: true });
  mkdirSync(copy, { mode: 0o700 });
  const only = infrastructure || savePoint.infrastructure === true;
  try {
    return await withRoom(copy, async () => {
      await copyParts(from, copy, true);
      const engine = await openState(`sqlite:${copy}`, machineTime);
      try {
        const sum = { bytes: 0 };
        const snapshot = {
          rows: only ? withoutContent(engine.dump()) : engine.dump(),
          pieces: piecesBelow(only ? copy : from, sum),
          format: dumpFormat,
          savePoint: { ...savePoint, ...(only && ({ infrastructure: true } as const)) },
        };
        const rows = totalOf(await writeSnapshot(snapshot, { file, force, key, passphrase }));
        return { name: savePoint.name, file, rows, dataBytes: sum.bytes, infrastructure: only };
      } finally {
        await engine.close();
      }
    });
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

const isState = (path: string): boolean => /^state\.db(-wal|-shm)?$/.test(path);

// An empty file has one empty piece.
async function* piecesBelow(folder: string, sum: { bytes: number }): AsyncGenerator<Piece> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path).split(sep).join('/');
    if (isState(name)) continue;
    let isEmpty = true;
    for await (const piece of piecesOf(name, path)) {
      isEmpty = false;
      sum.bytes += piece.bytes.length;
      yield piece;
    }
    if (isEmpty) yield { name, bytes: Buffer.alloc(0) };
  }
}

export interface ImportRequest {
  file: string;
  name?: string; // absent: the one in the file
  passphrase: string;
}

// Into the draft of a save point; `keepCopy` makes it one.
export async function readExport(
  { data, key }: Place,
  header: DumpHeader,
  request: ImportRequest,
): Promise<ImportedFacts> {
  const { file } = request;
  if (!header.lock) throw new Fault('refused', `${file} is damaged: its secrets are not sealed with a passphrase.`);
  const seal = await sealOf(file, header.lock, request.passphrase);
  return inDraft(data, async (folder) => {
    const files = new FolderDraft(`${folder}.files`);
    const listener = {
      bytes: spaceGuard(folder),
      piece({ name, bytes }: Piece): void {
        if (!isKnown(name)) throw unknownFile(file, { name });
        files.add(name, bytes);
      },
    };
    const pages = tapped(readDump(file, listener, 'cumulet savepoint'), demandOpen(file, seal));
    await writeState(folder, resealed(pages, seal, readOrMakeSeal(key)));
    if (files.finish())
      for (const name of readdirSync(files.path)) renameSync(join(files.path, name), join(folder, name));
    files.discard();
    return measureTree(draftData(data));
  });
}

type ImportedFacts = Pick<SavePointEntry, 'bytes' | 'copiedBytes' | 'files'>;

export const exportHeader = (file: string): Promise<DumpHeader> => readHeader(file, 'cumulet savepoint');

// Parts of a later version would be lost at a restore.
const isKnown = (file: string): boolean =>
  parts.some(({ name, isFile }) => (isFile ? file === name : file.startsWith(`${name}/`)));
