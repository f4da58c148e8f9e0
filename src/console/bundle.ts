// Bundles the web app (console/ in the project) with esbuild: main.tsx (the console) and reference.tsx (the API pages)
// with all that they import, and styles.css. What both share, and what is imported dynamically, become files of their
// own. esbuild is loaded here and nowhere else: the npm package runs without it.
import { join, relative } from 'node:path';

export type WebFiles = [name: string, text: string][];

export async function bundle(folder: string, withSourceMaps: boolean): Promise<WebFiles> {
  const { build, stop } = await import('esbuild');
  try {
    const { outputFiles } = await build({
      entryPoints: ['main.tsx', 'reference.tsx', 'styles.css'].map((name) => join(folder, name)),
      outdir: folder,
      write: false,
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
    return outputFiles.map(({ path, text }) => [relative(folder, path), text]);
  } finally {
    await stop(); // ends esbuild's own process
  }
}
