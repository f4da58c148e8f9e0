// The panel with the call of a form as commands of curl, ionosctl and Terraform.
import { signal } from '@preact/signals';
import { CommandLine } from '../../components/command-line.tsx';
import type { Call, ClientText } from './call.ts';
import { clientTexts, withRemarks } from './client-texts.ts';

// The selected client stays selected in the next form.
const chosen = signal<ClientText['client']>('curl');

export function ClientCommands({ call }: { call: Call }) {
  const texts = clientTexts(call);
  const current = texts.find(({ client }) => client === chosen.value) ?? texts[0];
  if (!current) return null;
  return (
    <aside class="client-commands" aria-label="Client commands">
      <h2 id="client-commands">Client commands</h2>
      <div
        class="client-commands-clients"
        role="tablist"
        aria-labelledby="client-commands"
        onKeyDown={(event) => step(event, texts)}
      >
        {texts.map(({ client }) => (
          <button
            key={client}
            type="button"
            role="tab"
            id={`client-commands-${client}`}
            aria-selected={client === current.client}
            aria-controls="client-commands-text"
            tabIndex={client === current.client ? 0 : -1}
            onClick={() => {
              chosen.value = client;
            }}
          >
            {client}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="client-commands-text" aria-labelledby={`client-commands-${current.client}`}>
        <CommandLine key={current.client} text={withRemarks(current)} />
      </div>
    </aside>
  );
}

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

function step(event: KeyboardEvent, texts: readonly ClientText[]): void {
  const by = steps[event.key];
  if (by === undefined) return;
  event.preventDefault();
  const at = texts.findIndex(({ client }) => client === chosen.value);
  const next = texts.at((Math.max(at, 0) + by) % texts.length);
  if (!next) return;
  chosen.value = next.client;
  document.getElementById(`client-commands-${next.client}`)?.focus();
}
