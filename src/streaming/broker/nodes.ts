// The brokers of one cluster: ids and addresses of which all serve the same logs, one copy on one disk. Clients see a
// leader for each partition; a broker that stops serving loses its leaders to the others.

export interface Node {
  id: number;
  host: string;
  port: number;
  isServing: boolean;
}

export class Nodes {
  readonly all: Node[] = [];
  #listeners: (() => void)[] = [];

  get serving(): Node[] {
    return this.all.filter(({ isServing }) => isServing);
  }

  find(id: number): Node | undefined {
    return this.all.find((node) => node.id === id);
  }

  get controller(): number {
    return this.serving[0]?.id ?? -1;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  setServing(id: number, isServing: boolean): void {
    const node = this.find(id);
    if (!node || node.isServing === isServing) return;
    node.isServing = isServing;
    for (const listener of this.#listeners) listener();
  }

  // The broker that answers for a group or a transactional id.
  coordinatorOf(name: string): Node | undefined {
    const { serving } = this;
    let hash = 0;
    for (let at = 0; at < name.length; at++) hash = (Math.imul(hash, 31) + name.charCodeAt(at)) | 0;
    return serving[Math.abs(hash) % Math.max(serving.length, 1)];
  }

  // The replicas of a partition: as many brokers as it has copies on paper, beginning with another one for each
  // partition. If none of them serves, one that does takes over.
  replicas(first: number, count: number): number[] {
    const ids = this.all.map(({ id }) => id);
    const chosen = Array.from(
      { length: Math.min(count, ids.length) },
      (_, at) => ids[(first + at) % ids.length] as number,
    );
    if (chosen.some((id) => this.find(id)?.isServing) || this.controller < 0) return chosen;
    return [this.controller, ...chosen.slice(1)];
  }
}
