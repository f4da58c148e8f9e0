// The screen of a machine as text. A ticket opens it for a quarter of an hour; a new one is asked for when it is over.
import { computed, signal } from '@preact/signals';
import { call, failureOf, isAborted, send } from '../../api.ts';

export class Screen {
  readonly text = signal<string | undefined>(undefined);
  readonly failure = signal<unknown>(undefined);
  readonly address = signal(''); // of the page that shows it alone
  readonly isBlank = computed(() => this.text.value?.trim() === '');
  readonly #server: string; // its path in the API
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
    const { url } = await call<{ url: string }>('GET', `${this.#server}/remoteconsole`, { signal: this.#signal });
    this.address.value = new URL(url).pathname; // the region may know itself by another name than this page does
    const text = await this.#read();
    if (text === undefined) throw new Error('The screen could not be opened.');
    return text;
  }

  // The ticket is enough, and to look at a screen is no use of the session. Undefined: there is no ticket, or its time
  // is over.
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
