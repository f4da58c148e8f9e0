// The few resources that were read last, for those who poll: kept while nothing of their contract changes. Few on
// purpose: what is read at random should cost the same whether there are a thousand or a million.
import type { Row } from './state/engine.ts';

const most = 64;

interface Entry {
  epoch: number;
  row: Row;
}

export class RecentRows {
  #rows = new Map<string, Entry>();

  get(key: string, epoch: number): Row | undefined {
    const found = this.#rows.get(key);
    return found?.epoch === epoch ? found.row : undefined;
  }

  keep(key: string, epoch: number, row: Row): void {
    this.#rows.delete(key);
    if (this.#rows.size >= most) for (const oldest of this.#rows.keys()) if (this.#rows.delete(oldest)) break;
    this.#rows.set(key, { epoch, row });
  }
}
