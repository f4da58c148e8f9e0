// Opens the engine that serves the models, by the scheme of its address. Each engine is loaded when it is opened.

import type { Log } from '../../base/log.ts';
import { builtIn, type EngineTable, onWeb, opener } from '../../core/engines/engine-table.ts';
import type { EngineSource } from './engine.ts';

export interface SourceOptions {
  address: string;
  key: string; // of the upstream; empty: none
  names: Readonly<Record<string, string>>; // the upstream's names of models by ours; `*` is for all others
  dataFolder: string;
  log: Log;
}

type Open = (options: SourceOptions) => Promise<EngineSource[]>;

export const inferenceEngines: EngineTable<Open> = {
  embedded: { at: builtIn, open: ownSources },
  'openai+http(s)': { at: onWeb, open: upstreamFirst },
};

// The first source that has an engine for a model serves it.
export const openSources: Open = async (options) => opener(inferenceEngines, options.address)(options);

// The files that were added, or else the tiny model.
async function ownSources({ dataFolder, log }: SourceOptions): Promise<EngineSource[]> {
  const { openLlama } = await import('./llama/source.ts');
  const { tinySource } = await import('./tiny/source.ts');
  return [openLlama({ dataFolder, log }), tinySource()];
}

async function upstreamFirst(options: SourceOptions): Promise<EngineSource[]> {
  const { upstreamSource } = await import('./upstream/source.ts');
  const { address, key, names } = options;
  return [upstreamSource({ url: address.slice('openai+'.length), key, names }), ...(await ownSources(options))];
}
