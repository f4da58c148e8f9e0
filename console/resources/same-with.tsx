// The same call by other clients, as it stands in the form.
import { CommandLine } from '../components/command-line.tsx';
import type { OperationModel, ResourceModel } from './model.ts';

export interface SameWithProps {
  model: ResourceModel;
  operation: OperationModel;
  address: string;
  body: unknown;
  params: Readonly<Record<string, string>>;
}

export function SameWith({ operation, address, body }: SameWithProps) {
  return (
    <aside class="same-with" aria-label="The same by the command line">
      <h2>The same with curl</h2>
      <CommandLine text={curlText(operation.method, location.origin + address, body)} />
    </aside>
  );
}

export function curlText(method: string, url: string, body: unknown): string {
  const lines = [`curl -X ${method} '${url}'`, `  -H "Authorization: Bearer $IONOS_TOKEN"`];
  if (body !== undefined)
    lines.push(
      `  -H 'Content-Type: application/json'`,
      `  -d '${JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)}'`,
    );
  return lines.join(' \\\n');
}
