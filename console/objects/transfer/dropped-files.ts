// The files that the user dropped or selected, with their folders.

export interface PickedFile {
  path: string; // below the shown folder: photos/2026/a.jpg
  file: File;
}

export const pickedFiles = (list: FileList | null): PickedFile[] =>
  [...(list ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));

// The entries have to be read while the event is handled; their files can be read later.
export function droppedFiles({ items, files }: DataTransfer): Promise<PickedFile[]> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  return entries.length === 0 ? Promise.resolve(pickedFiles(files)) : filesIn(entries, '');
}

async function filesIn(entries: readonly FileSystemEntry[], folder: string): Promise<PickedFile[]> {
  const found: PickedFile[] = [];
  for (const entry of entries) {
    const path = folder + entry.name;
    if (isFile(entry)) found.push({ path, file: await fileOf(entry) });
    else if (isFolder(entry)) found.push(...(await filesIn(await childrenOf(entry), `${path}/`)));
  }
  return found;
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

// A folder is read in pieces until a piece is empty.
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const piece = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (piece.length === 0) return all;
    all.push(...piece);
  }
}
