// For `readFile(…).catch(noneIfMissing)`: a file that is not there yet is nothing, and one that can't be read is an
// error, which must not be taken for it.
export function noneIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
