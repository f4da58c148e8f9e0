// The screen of a machine as text. A ticket is valid for 15 minutes; then the page gets a new one.
import { computed, signal } from '@preact/signals';
import { call, failureOf, isAborted, send } from '../../api.ts';

export class Screen {
  readonly text = signal<string | undefined>(undefined);
  readonly failure = signal<unknown>(undefined);
  readonly address = signal(''); // of the separate page
  readonly isBlank = computed(() => this.text.value?.trim() === '');
  readonly #server: string; // its API path
  readonly #signal: AbortSignal;

  constructor(server: string, ending: AbortSignal) {
    this.#server = server;
    this.#signal = ending;
  }

  async refresh(): Promise<void> {
    try {
      this.text.value = (await this.#read()) ?? (await this.#openAndRead());
      this.failure.value = undefined;
    } catch (error) {
      if (!isAborted(error)) this.failure.value = error;
    }
  }

  async #openAndRead(): Promise<string> {
    const { token } = await call<{ token: string }>('GET', `${this.#server}/token`, { signal: this.#signal });
    this.address.value = `${this.#server.replace(/\/datacenters\/.*/, '')}/remoteconsole/${token}`;
    const text = await this.#read();
    if (text === undefined)
      throw new Error('The region refused to open the screen of this server. Load the page again.');
    return text;
  }

  // Reads with the ticket alone, so that watching a screen does not extend the session. Undefined: no valid ticket.
  async #read(): Promise<string | undefined> {
    if (this.address.value === '') return undefined;
    const headers = { Accept: 'text/plain' };
    const answer = await send(this.address.value, { headers, credentials: 'omit', signal: this.#signal });
    if (answer.status === 404) {
      this.address.value = '';
      return undefined;
    }
    if (!answer.ok) throw failureOf(answer, undefined);
    return answer.text();
  }
}
