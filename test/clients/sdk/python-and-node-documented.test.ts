// The lines that docs/running.md gives users of the Python and Node SDKs, run as they are written there.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Region, startRegion } from '../../harness/region.ts';
import { openShell } from '../../harness/shell.ts';
import { find, pythonWith } from '../install.ts';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/running.md'), 'utf8');
const blocks = (language: string): string[] =>
  [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, code = '']) => (name === language ? [code] : []));

let region: Region;
before(async () => {
  region = await startRegion();
});
after(() => region.stop());

async function runsWith(option: string, program: string): Promise<void> {
  using shell = openShell();
  const { code, stdout, stderr } = await shell.run(`eval "$(cumulet env ${option} --data "$DATA")"; ${program}`, {
    DATA: region.data,
  });
  assert.equal(code, 0, stderr);
  assert.equal(stdout, 'collection\n');
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

test('Node by proxy and by endpoint', async () => {
  const [endpoint = ''] = blocks('js');
  const proxy = 'const configuration = new Configuration({ apiKey: process.env.IONOS_TOKEN });\n';
  for (const [option, code] of Object.entries({ '--proxy': proxy, '': endpoint })) {
    const load = "const { Configuration, DataCentersApi } = require('@ionos-cloud/sdk-nodejs');";
    const list =
      'new DataCentersApi(configuration).datacentersGet({}).then((answer) => console.log(answer.data.type));';
    const program = `cd '${root}' && '${process.execPath}' --input-type=commonjs - <<'END'\n${load}\n${code}${list}\nEND`;
    await runsWith(option, program);
  }
});
