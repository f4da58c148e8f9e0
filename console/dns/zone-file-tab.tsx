// The tab Zone file of a zone: shows the records as a BIND zone file, saves it, and replaces the records by another
// file.
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { failureOf, jsonOf, send } from '../api.ts';
import { Actions, Button } from '../components/button.tsx';
import { confirm } from '../components/confirm.tsx';
import { useResource } from '../components/resource.ts';
import { Copyable } from '../components/secret-dialog.tsx';
import { Failure, Loaded } from '../components/states.tsx';
import { toast } from '../components/toast.tsx';
import type { TabProps } from '../resources/extension.ts';

const mostBytes = 16 * 1024 * 1024;

async function readZoneFile(path: string, signal: AbortSignal): Promise<string> {
  const response = await send(`${path}/zonefile`, { signal, headers: { Accept: 'text/plain' } });
  if (!response.ok) throw failureOf(response, await jsonOf(response));
  return response.text();
}

async function replaceZone(path: string, text: string): Promise<void> {
  const headers = { 'Content-Type': 'text/plain' };
  const response = await send(`${path}/zonefile`, { method: 'PUT', body: text, headers });
  if (!response.ok) throw failureOf(response, await jsonOf(response));
}

export function ZoneFileTab({ item, path, reload }: TabProps) {
  const zone = String(item.properties.zoneName);
  const file = useResource((signal) => readZoneFile(path, signal));
  const input = useRef<HTMLInputElement>(null);
  const failure = useSignal<unknown>(undefined);
  const replace = (chosen: File): void => {
    failure.value = undefined;
    if (chosen.size > mostBytes) {
      failure.value = new Error('The zone file is too large: at most 16 MB are accepted.');
      return;
    }
    confirm({
      title: `Replace all records of ${zone}?`,
      text: `Records that are not in ${chosen.name} are deleted. Its SOA record and the zone’s own NS records are ignored.`,
      action: 'Replace',
      act: async () => replaceZone(path, await chosen.text()),
      onDone() {
        toast('Records replaced.');
        reload();
        void file.reload();
      },
    });
  };
  return (
    <>
      <Actions>
        <Button text="Import file" look="plain" onPress={() => input.current?.click()} />
        <input
          ref={input}
          type="file"
          hidden
          aria-label="Zone file"
          onChange={({ currentTarget }) => {
            const [chosen] = currentTarget.files ?? [];
            if (chosen) replace(chosen);
            currentTarget.value = '';
          }}
        />
      </Actions>
      <div class="problems">{failure.value !== undefined && <Failure error={failure.value} />}</div>
      <Loaded resource={file} what="the zone file">
        {(text) => <Copyable title="Zone file" text={text.trimEnd()} fileName={`${zone}.zone`} />}
      </Loaded>
    </>
  );
}
