// The lines that docs/running.md gives users of the Python and Node SDKs, run unchanged.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { blocksOf } from '../../cli/documents.ts';
import { type Region, startRegion } from '../../harness/region.ts';
import { openShell } from '../../harness/shell.ts';
import { find, pythonWith } from '../install.ts';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/running.md'), 'utf8');
const blocks = (language: string): string[] =>
  blocksOf('docs/running.md').flatMap((block) => (block.language === language ? [block.text] : []));

let region: Region;
before(async () => {
  region = await startRegion();
});
after(() => region.stop());

async function runsWith(option: string, program: string, says = 'collection\n'): Promise<void> {
  using shell = openShell();
  const { code, stdout, stderr } = await shell.run(`eval "$(cumulet env ${option} --data "$DATA")"; ${program}`, {
    DATA: region.data,
  });
  assert.equal(code, 0, stderr);
  assert.equal(stdout, says);
}

const python = find('CUMULET_PYTHON', 'python3');

test('Python by proxy and by endpoint', { skip: python.skip ?? false }, async () => {
  const interpreter = await pythonWith(python.path as string, 'ionoscloud');
  const [proxy = '', endpoint = ''] = blocks('python');
  for (const [option, code] of Object.entries({ '--proxy': proxy, '': endpoint })) {
    const list = 'print(ionoscloud.DataCentersApi(ionoscloud.ApiClient(configuration)).datacenters_get().type)';
    await runsWith(option, `'${interpreter}' - <<'END'\nimport os, ionoscloud\n${code}${list}\nEND`);
  }
});

const nodeProgram = (code: string): string => {
  const load = "const { Configuration, DataCentersApi } = require('@ionos-cloud/sdk-nodejs');";
  const list =
    'new DataCentersApi(configuration).datacentersGet({}).then((answer) => console.log(answer.data.type))' +
    ".catch((error) => console.log('status', error.response.status, error.config.url));";
  return `'${process.execPath}' --input-type=commonjs - <<'END'\n${load}\n${code}${list}\nEND`;
};

test('Node by proxy and by endpoint', async () => {
  const [endpoint = ''] = blocks('js');
  const proxy = 'const configuration = new Configuration({ apiKey: process.env.IONOS_TOKEN });\n';
  for (const [option, code] of Object.entries({ '--proxy': proxy, '': endpoint }))
    await runsWith(option, `cd '${root}' && ${nodeProgram(code)}`);
});

test('Node by Configuration.fromEnv(): it takes IONOS_API_URL for the whole base path', async () => {
  const [line = ''] = /IONOS_API_URL=\S+cloudapi\/v6(?= node app\.js)/.exec(page) ?? [];
  const fromEnv = nodeProgram('const configuration = Configuration.fromEnv();\n');
  await runsWith('', `cd '${root}' && ${line} ${fromEnv}`);
  await runsWith('', `cd '${root}' && ${fromEnv}`, `status 404 ${region.url}/datacenters\n`);
});
