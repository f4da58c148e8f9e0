// The files of the web app. bin/bundle.ts writes them into one file. The address of each file starts with a hash of all
// files, so a browser may cache them forever and never mixes two versions.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { hashed } from '../surface/docs/page-assets.ts';

export interface WebApp {
  version: string;
  main: string; // the script of the console's page
  file(name: string): Buffer;
}

const bundled = join(import.meta.dirname, '../../dist/console/web-app.json');

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
  interface Bundled {
    main: string;
    files: [name: string, text: string][];
  }
  const { main, files: all } = JSON.parse(await readFile(bundled, 'utf8')) as Bundled;
  const files = new Map(all.map(([name, text]) => [name, Buffer.from(text)]));
  return {
    version: hashed(...all.flat()),
    main,
    file(name) {
      const found = files.get(name);
      if (!found) throw new Fault('missing', `The console has no file ${name.slice(0, 100)}.`);
      return found;
    },
  };
}
