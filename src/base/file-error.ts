// Why a file or folder can't be read or written, in words instead of the system's code.
const words: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  ENOTDIR: 'it lies below a file',
};

export function fileError(error: unknown): string {
  const { code = '', message = String(error) } = error as NodeJS.ErrnoException;
  return words[code] ?? (code === '' ? message : code);
}

// What the user's own machine refuses is no bug of the program, wherever it is found.
export const isRefusedByMachine = (error: unknown): boolean =>
  ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'ENOTDIR'].includes((error as NodeJS.ErrnoException | undefined)?.code ?? '');
