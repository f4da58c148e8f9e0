// The uploads and downloads of the whole console, which continue when the user opens another page. A few files are
// transferred at once, in the order of their start.
import { computed, signal } from '@preact/signals';
import { isAborted, sentencesOf } from '../../api.ts';

export type TransferState = 'waits' | 'runs' | 'done' | 'failed' | 'cancelled';

// Uploads or downloads one file and reports its progress.
export type Carry = (onProgress: (bytes: number) => void, signal: AbortSignal) => Promise<void>;

export interface TransferPlan {
  kind: 'upload' | 'download';
  bucket: string;
  key: string;
  size: number;
  carry: Carry;
}

export class Transfer {
  readonly plan: TransferPlan;
  readonly id: number;
  readonly state = signal<TransferState>('waits');
  readonly bytes = signal(0);
  readonly problem = signal('');
  #controller = new AbortController();

  constructor(id: number, plan: TransferPlan) {
    this.id = id;
    this.plan = plan;
  }

  get isOver(): boolean {
    return this.state.value !== 'waits' && this.state.value !== 'runs';
  }

  async run(): Promise<void> {
    this.state.value = 'runs';
    try {
      await this.plan.carry((bytes) => {
        this.bytes.value = bytes;
      }, this.#controller.signal);
      this.bytes.value = this.plan.size;
      this.state.value = 'done';
    } catch (error) {
      if (this.#controller.signal.aborted || isAborted(error)) {
        this.state.value = 'cancelled';
        return;
      }
      this.problem.value = sentencesOf(error).join(' ');
      this.state.value = 'failed';
    }
  }

  cancel(): void {
    if (this.state.value === 'waits') this.state.value = 'cancelled';
    this.#controller.abort();
  }

  again(): void {
    this.#controller = new AbortController();
    this.bytes.value = 0;
    this.problem.value = '';
    this.state.value = 'waits';
  }
}

export class Transfers {
  readonly all = signal<readonly Transfer[]>([]);
  readonly finished = signal(0); // number of finished transfers, so that lists reload
  readonly summary = computed(() => summaryOf(this.all.value));
  readonly #atOnce: number;
  #count = 0;
  #running = 0;

  constructor(atOnce = 3) {
    this.#atOnce = atOnce;
  }

  add(plans: readonly TransferPlan[]): void {
    this.all.value = [...this.all.value, ...plans.map((plan) => new Transfer(++this.#count, plan))];
    this.#fill();
  }

  retry(transfer: Transfer): void {
    transfer.again();
    this.#fill();
  }

  cancelAll(): void {
    for (const one of this.all.value) if (!one.isOver) one.cancel();
  }

  clear(): void {
    this.all.value = this.all.value.filter(({ isOver }) => !isOver);
  }

  #fill(): void {
    for (const one of this.all.value) {
      if (this.#running >= this.#atOnce) return;
      if (one.state.value === 'waits') void this.#run(one);
    }
  }

  async #run(transfer: Transfer): Promise<void> {
    this.#running++;
    await transfer.run();
    this.#running--;
    if (transfer.state.value === 'done') this.finished.value++;
    this.#fill();
  }
}

export interface Summary {
  left: number;
  done: number;
  failed: number;
  cancelled: number;
  bytes: number; // of all that are not cancelled
  size: number;
}

function summaryOf(all: readonly Transfer[]): Summary {
  const summary = { left: 0, done: 0, failed: 0, cancelled: 0, bytes: 0, size: 0 };
  for (const { state, bytes, plan } of all) {
    if (state.value === 'waits' || state.value === 'runs') summary.left++;
    else summary[state.value]++;
    if (state.value === 'cancelled') continue;
    summary.bytes += bytes.value;
    summary.size += plan.size;
  }
  return summary;
}

export const transfers = new Transfers();
