// The command line. The compile cache comes before anything else is loaded: without it, stripping the types of the
// whole program costs more than starting the region.
import { constants, enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const folders = [join(import.meta.dirname, '../node_modules/.cache/cumulet'), join(homedir(), '.cache/cumulet/code')];
folders.find((folder) => enableCompileCache(folder).status !== constants.compileCacheStatus.FAILED);

const { run } = await import('./cli/run.ts');
process.exitCode = await run(process.argv.slice(2));
