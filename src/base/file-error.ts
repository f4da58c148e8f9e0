// Why a file or folder can't be read or written, in words instead of the system's code.
const words: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  ERR_FS_EISDIR: 'it is a folder',
  ENOTDIR: 'it lies below a file',
};

export function fileError(error: unknown): string {
  const { code = '', message = String(error) } = error as NodeJS.ErrnoException;
  return words[code] ?? (code === '' ? message : code);
}

// The message for an error of the user's machine, such as a full disk. Such an error is not a bug of the program.
export function machineRefusal(error: unknown): string | undefined {
  const { code = '', path = 'A file' } = (error ?? {}) as NodeJS.ErrnoException;
  return refusals.includes(code) ? `${path} can't be used: ${fileError(error)}.` : undefined;
}

const refusals = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'ENOTDIR'];

// The messages to clients of a store when the system refuses its files, by the system's code. `content`: such as
// 'logs'.
export function storeFailures(content: string): Readonly<Record<string, string>> {
  const full = 'the disk is full';
  const closed = `the files of the ${content} can not be opened`;
  return {
    ENOSPC: full,
    EDQUOT: full,
    EFBIG: full,
    EIO: `the disk that holds the ${content} does not answer as it should`,
    EROFS: `the ${content} can only be read`,
    EACCES: closed,
    EPERM: closed,
    ENOENT: closed,
    EMFILE: closed,
    ENFILE: closed,
  };
}
