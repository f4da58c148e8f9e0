#!/usr/bin/env node
// `cumulet agent` as a separate program, for the settings of AI clients.
process.argv.splice(2, 0, 'agent');
await import('./cumulet.js');
