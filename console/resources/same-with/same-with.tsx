// The same call by other clients, as it stands in the form.
import { signal } from '@preact/signals';
import { CommandLine } from '../../components/command-line.tsx';
import type { Call, ClientText } from './call.ts';
import { clientTexts, withRemarks } from './client-texts.ts';

// Whoever prefers a client prefers it in the next form as well.
const chosen = signal<ClientText['client']>('curl');

export function SameWith({ call }: { call: Call }) {
  const texts = clientTexts(call);
  const current = texts.find(({ client }) => client === chosen.value) ?? texts[0];
  if (!current) return null;
  return (
    <aside class="same-with" aria-label="The same by the command line">
      <h2 id="same-with">The same with</h2>
      <div
        class="same-with-clients"
        role="tablist"
        aria-labelledby="same-with"
        onKeyDown={(event) => step(event, texts)}
      >
        {texts.map(({ client }) => (
          <button
            key={client}
            type="button"
            role="tab"
            id={`same-with-${client}`}
            aria-selected={client === current.client}
            aria-controls="same-with-text"
            tabIndex={client === current.client ? 0 : -1}
            onClick={() => {
              chosen.value = client;
            }}
          >
            {client}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="same-with-text" aria-labelledby={`same-with-${current.client}`}>
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
  document.getElementById(`same-with-${next.client}`)?.focus();
}
