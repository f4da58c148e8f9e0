// Starts the program from its bundle. In a checkout it first bundles the sources again if one of them has changed.
// CommonJS, because Node loads it, and what it requires, faster than ES modules.
const { enableCompileCache, constants } = require('node:module');
const { homedir } = require('node:os');
const { join } = require('node:path');
const { isBundleCurrent } = require('./freshness.cjs');

const caches = [join(__dirname, '../node_modules/.cache/cumulet'), join(homedir(), '.cache/cumulet/code')];
caches.find((folder) => enableCompileCache(folder).status !== constants.compileCacheStatus.FAILED);

process.setSourceMapsEnabled(true); // stack traces show lines of the sources

const start = () => require('../dist/main.cjs');
if (isBundleCurrent()) start();
else
  import('./bundle.ts')
    .then(({ bundleProgram }) => bundleProgram())
    .then(start, (error) => {
      console.error(`cumulet: the program could not be bundled: ${error.message}`);
      process.exitCode = 1;
    });
