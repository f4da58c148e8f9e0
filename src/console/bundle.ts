// Bundles the web app (console/ in the project) with esbuild: main.tsx (the console) and reference.tsx (the API pages)
// with all that they import, and styles.css. What both share, and what is imported dynamically, become files of their
// own. esbuild is loaded here and nowhere else: the npm package runs without it.
import { join, relative, resolve } from 'node:path';

export type WebFiles = [name: string, text: string][];

export interface Bundle {
  files: WebFiles;
  shared: string[]; // sources that it took from elsewhere in the project, such as the arithmetic of costs
}

export async function bundle(folder: string, withSourceMaps: boolean): Promise<Bundle> {
  const { build, stop } = await import('esbuild');
  try {
    const { outputFiles, metafile } = await build({
      entryPoints: ['main.tsx', 'reference.tsx', 'styles.css'].map((name) => join(folder, name)),
      outdir: folder,
      absWorkingDir: folder,
      write: false,
      metafile: true,
      bundle: true,
      splitting: true,
      format: 'esm',
      target: 'es2024',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      minify: true,
      sourcemap: withSourceMaps ? 'linked' : false,
      charset: 'utf8',
      legalComments: 'eof',
      logLevel: 'silent',
    });
    const outside = Object.keys(metafile.inputs).filter((path) => path.startsWith('../') && !isLibrary(path));
    return {
      files: outputFiles.map(({ path, text }) => [relative(folder, path), text]),
      shared: outside.map((path) => resolve(folder, path)).sort(),
    };
  } finally {
    await stop(); // ends esbuild's own process
  }
}

const isLibrary = (path: string): boolean => path.includes('/node_modules/');
