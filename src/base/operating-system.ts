// What differs between operating systems is asked here.
export const isWindows = process.platform === 'win32';
export const isLinux = process.platform === 'linux';
