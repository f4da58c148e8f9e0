// Reads the files of a folder and takes the types out of those that have them. A thread of its own, since a hundred
// milliseconds of it would keep everybody waiting, and since what Node warns of there is of interest to nobody.
import { readdir, readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join, relative } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';

const root = workerData as string;
const endings = /\.(?:ts|css|svg)$/;

const entries = await readdir(root, { recursive: true, withFileTypes: true });
const paths = entries
  .filter((entry) => entry.isFile() && endings.test(entry.name))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  .sort();
const files: [path: string, text: string][] = [];
for (const path of paths) {
  const text = await readFile(join(root, path), 'utf8');
  // Lines and columns stay, so what a browser says of an error is true of the source.
  files.push([path, path.endsWith('.ts') ? stripTypeScriptTypes(text) : text]);
}
parentPort?.postMessage(files);
