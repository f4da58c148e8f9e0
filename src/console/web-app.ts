// The files of the web app (console/ in the project): typed ES modules, which browsers get without their types under
// the very names that they import each other by. They are read and stripped when the first page is opened, and kept in
// memory. The address of each begins with a hash of them all, so a browser may keep them for good and never mixes two
// versions. The npm package has them stripped already, in one file beside this one (bin/build.ts). The chart library
// comes out of its own npm package, as a module in the folder `library`.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Fault } from '../base/fault.ts';
import { hashed } from '../surface/docs/page-assets.ts';

export interface WebApp {
  version: string;
  file(name: string): Buffer;
}

export type WebFiles = [path: string, text: string][];

// Beside what runs as plain JavaScript.
export const builtName = 'web-app.json';
const isBuilt = import.meta.filename.endsWith('.js');

let app: Promise<WebApp> | undefined;

export function webApp(): Promise<WebApp> {
  app ??= load().catch((error: unknown) => {
    app = undefined;
    throw error;
  });
  return app;
}

export const filesAddress = ({ version }: WebApp, name: string): string => `/console/assets/${version}/${name}`;

async function load(): Promise<WebApp> {
  const own = isBuilt
    ? (JSON.parse(await readFile(join(import.meta.dirname, builtName), 'utf8')) as WebFiles)
    : await strippedFiles(join(import.meta.dirname, '../../console'));
  const all = [...own, ...(await libraryFiles())];
  const files = new Map(all.map(([path, text]) => [path, Buffer.from(text)]));
  return {
    version: hashed(...all.flat()),
    file(name) {
      const found = files.get(name);
      if (!found) throw new Fault('missing', `The console has no file ${name.slice(0, 100)}.`);
      return found;
    },
  };
}

// The small form of the library is a script that declares one name.
async function libraryFiles(): Promise<WebFiles> {
  const read = (name: string): Promise<string> =>
    readFile(new URL(`dist/${name}`, import.meta.resolve('uplot/package.json')), 'utf8');
  const [script, style] = await Promise.all([read('uPlot.iife.min.js'), read('uPlot.min.css')]);
  return [
    ['library/uplot.js', `${script}\nexport default uPlot;\n`],
    ['library/uplot.css', style],
  ];
}

export function strippedFiles(folder: string): Promise<WebFiles> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./stripping-worker.ts', import.meta.url), {
      workerData: folder,
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the console was not read')));
  });
}
