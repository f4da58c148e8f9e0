// The chart library, loaded with the first chart; the region serves it out of its npm package (src/console/web-app.ts).
import type uPlot from 'uplot';

export type Library = typeof uPlot;

const address: string = '../library/uplot.js';
let loading: Promise<Library> | undefined;

export function chartLibrary(): Promise<Library> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<Library> {
  const found = (await import(address)) as { default: Library };
  return found.default;
}
