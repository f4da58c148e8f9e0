// The files of a save point as one portable file, and back. Its secrets are sealed with a passphrase in between, so
// that a region with another key can have it. The file is written whole or not at all, and what is read from it becomes
// a save point only when its end was read and its checksum is right.
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { iso, machineTime } from '../../base/clock.ts';
import { measureTree } from '../../base/copy-tree.ts';
import { Fault } from '../../base/fault.ts';
import { spaceGuard } from '../../base/free-space.ts';
import type { Seal } from '../../base/seal.ts';
import { opens, readOrMakeSeal } from '../../core/region-secrets.ts';
import { tapped, totalOf } from '../../core/state/dump/dump.ts';
import {
  type DumpContent,
  type DumpHeader,
  dumpFormat,
  type ExportedSavePoint,
  type Piece,
  writeDump,
} from '../../core/state/dump/dump-file.ts';
import { readDump, readHeader } from '../../core/state/dump/dump-reader.ts';
import { piecesOf } from '../../core/state/dump/file-pieces.ts';
import { openLock } from '../../core/state/dump/passphrase.ts';
import { resealed } from '../../core/state/dump/reseal.ts';
import type { Dump } from '../../core/state/engine.ts';
import { openState } from '../../core/state/open.ts';
import type { SavePointEntry } from '../../surface/ports.ts';
import { programVersion } from '../program-version.ts';
import { portable } from '../state/backup.ts';
import { FolderDraft } from '../state/data-folder.ts';
import { withoutContent, writeState } from './infrastructure.ts';
import { exportingOf, type SavedPart } from './restore-files.ts';
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
  dataBytes: number; // of the files besides the state
  infrastructure: boolean;
}

interface Place {
  data: string; // the data folder
  key: string; // the file of the region's key
}

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
        const header: DumpHeader = {
          program: programVersion(),
          time: iso(machineTime()),
          savePoint: { ...savePoint, ...(only && { infrastructure: true }) },
        };
        const sum = { bytes: 0 };
        const pages = only ? withoutContent(engine.dump()) : engine.dump();
        const content: DumpContent = {
          ...(await portable(header, pages, key, passphrase)),
          format: dumpFormat,
          attached: piecesBelow(only ? copy : from, sum),
        };
        const rows = totalOf(await writeDump(file, content, force));
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
  asked: ImportRequest,
): Promise<ImportedFacts> {
  const { file } = asked;
  const seal = header.lock && (await openLock(header.lock, asked.passphrase));
  if (!seal) throw new Fault('refused', `That is not the passphrase of ${file}: nothing was changed.`);
  return inDraft(data, async (folder) => {
    const files = new FolderDraft(`${folder}.files`);
    const listener = {
      bytes: spaceGuard(folder),
      piece({ name, bytes }: Piece): void {
        if (!isKnown(name)) throw unknownFile(file, name);
        files.add(name, bytes);
      },
    };
    const pages = openedBy(file, seal, readDump(file, listener, 'cumulet savepoint'));
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
const importedFolders: readonly SavedPart[] = ['metrics', 'logs', 'objects', 'streaming'];
const importedFile: SavedPart = 'models.json';
const isKnown = (name: string): boolean =>
  name === importedFile || importedFolders.some((folder) => name.startsWith(`${folder}/`));

const unknownFile = (file: string, name: string): Fault =>
  new Fault('refused', `${file} holds a file ${name}, which this version does not know.`);

function openedBy(file: string, seal: Seal, pages: Dump): Dump {
  return tapped(pages, (page) => {
    if (!opens(page, seal)) throw new Fault('refused', `${file} is damaged: its passphrase does not open its secrets.`);
  });
}
