// Checks the console's Terraform texts against the provider's schema.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ClientText } from '../../../console/resources/client-commands/call.ts';
import { clientNames } from '../../../console/resources/client-commands/client-names.ts';
import { clientTexts } from '../../../console/resources/client-commands/client-texts.ts';
import type { OperationModel, ResourceModel } from '../../../console/resources/model.ts';
import { firstServer, paramsOf, sampleOf } from '../../console/harness/form-samples.ts';
import { startRegion } from '../../harness/region.ts';
import { wayTo, workFolder } from '../run.ts';
import { skip, workspace } from './terraform.ts';

interface Validation {
  diagnostics: { severity: string; summary: string; detail: string; range?: { filename: string } }[];
}

test('the console generates valid Terraform configurations', { skip }, async (t) => {
  await using region = await startRegion();
  const { body } = await region.call<{ resources: ResourceModel[] }>('GET', '/console/model');
  const folder = workFolder(t);
  const home = join(folder, 'client-commands');
  mkdirSync(home);
  const place = workspace(await wayTo(region, 'direct', folder), home, 'provider', {});
  const incomplete = new Map<string, ClientText>();
  const variables = new Set<string>(); // of all together: each is declared once
  const write = (file: string, text: string): void => {
    for (const [one] of text.matchAll(variable)) variables.add(one);
    writeFileSync(join(home, file), text.replace(variable, ''));
  };
  for (const model of body.resources) {
    const { create } = model;
    if (!create || model.isReference || !clientNames[create.operation]?.terraform) continue;
    for (const extent of ['everything', 'needed'] as const) {
      const text = textOf(model, create, sampleOf(create.body, extent));
      const file = `${create.operation}_${extent}.tf`;
      if (text.needs.length > 0) incomplete.set(file, text);
      write(file, text.text.replace(/(?<=^resource "\w+" ")\w+/m, file.slice(0, -3)));
    }
  }
  const [, , server] = clientTexts(firstServer('d'));
  write('first_server.tf', server?.text ?? '');
  writeFileSync(join(home, 'variables.tf'), [...variables].join(''));
  const { stdout } = await place.call('validate', '-json');
  const wrong = (JSON.parse(stdout) as Validation).diagnostics.filter(({ severity }) => severity === 'error');
  const found = wrong.map((one) => [one.range?.filename ?? '', `${one.summary}: ${one.detail}`] as const);
  assert.deepEqual(
    found.filter(([file]) => !incomplete.has(file)),
    [],
  );
  const fine = [...incomplete].filter(([name]) => !found.some(([file]) => file === name));
  assert.deepEqual(fine, [], 'the console says that these need more, but they are valid');
});

const variable = /^variable "\w+" \{\n[^}]*\}\n\n/gm;

function textOf(model: ResourceModel, operation: OperationModel, body: unknown): ClientText {
  const params = paramsOf(operation.path);
  const region = model.isRegional ? { region: 'de-fra' } : {};
  const text = clientTexts({ operation, url: '', params, ...region, body }).find(
    ({ client }) => client === 'Terraform',
  );
  assert.ok(text, operation.operation);
  return text;
}
