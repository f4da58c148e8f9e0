// The call of a form as commands of other clients. Values that a client can't set are left out and named in a comment.
// Secrets become variables.
import { type Json, withValue } from '../schema-form/form-value.ts';
import type { Call, ClientText } from './call.ts';
import { type ClientNames, clientNames } from './client-names.ts';
import { ionosctlText } from './ionosctl-text.ts';
import { assignment, quoted } from './shell.ts';
import { terraformText } from './terraform-text.ts';
import { idMark, variableOf, withoutMarks, withoutSecrets } from './variables.ts';

// For the values of a form.
export const clientTexts = (given: Call): ClientText[] => markedTexts({ ...given, body: withoutMarks(given.body) });

// The body may contain marks of variables.
export function markedTexts(given: Call): ClientText[] {
  const call = { ...given, body: withIds(given, withoutSecrets(given.body)) };
  const { ionosctl, terraform }: ClientNames = clientNames[call.operation.operation] ?? {};
  return [
    { client: 'curl', text: curlTexts(call), leavesOut: [], needs: [] },
    ...(ionosctl ? [ionosctlText(ionosctl, call)] : []),
    ...(terraform ? [terraformText(terraform, call)] : []),
  ];
}

// Adds comments that say how the command differs from the form.
export const withRemarks = ({ client, text, leavesOut, needs }: ClientText): string =>
  [
    ...(leavesOut.length > 0 ? [`# ${client} can't set ${leavesOut.join(', ')}.`] : []),
    ...(needs.length > 0 ? [`# ${client} needs ${needs.join(', ')} too.`] : []),
    text,
  ].join('\n');

// Resources of preceding calls have no id yet.
const withIds = ({ before = [] }: Call, body: unknown): unknown =>
  before.reduce((whole, { idAt, name }) => withValue(whole as Json, idAt, idMark(variableOf(`${name}Id`))), body);

const curlTexts = (call: Call): string =>
  [
    ...(call.before ?? []).map(({ name, call: one }) =>
      assignment(variableOf(`${name}Id`), `${curlText(one).replace(/^curl/, 'curl -s')} | jq -r .id`),
    ),
    curlText(call),
  ].join('\n');

function curlText({ operation: { method }, url, body }: Call): string {
  const lines = [`curl -X ${method} ${quoted(url)}`, `  -H "Authorization: Bearer $IONOS_TOKEN"`];
  if (body !== undefined)
    lines.push(`  -H 'Content-Type: application/json'`, `  -d ${quoted(JSON.stringify(body, null, 2))}`);
  return lines.join(' \\\n');
}
