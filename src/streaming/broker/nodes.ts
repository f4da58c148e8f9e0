// The brokers of one cluster: ids and addresses that all serve the same logs, one copy on one disk. Clients see a
// leader for each partition; a stopped broker loses its leaders to the others.

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

  // Returns the broker that coordinates a group or a transactional id.
  coordinatorOf(name: string): Node | undefined {
    const { serving } = this;
    let hash = 0;
    for (let at = 0; at < name.length; at++) hash = (Math.imul(hash, 31) + name.charCodeAt(at)) | 0;
    return serving[Math.abs(hash) % Math.max(serving.length, 1)];
  }

  // Returns as many brokers as the partition has replicas.
  replicas(first: number, count: number): number[] {
    const ids = this.all.map(({ id }) => id);
    return Array.from({ length: Math.min(count, ids.length) }, (_, at) => ids[(first + at) % ids.length] as number);
  }

  // If none of the replicas is running, another broker takes over.
  served(replicas: number[]): number[] {
    if (replicas.some((id) => this.find(id)?.isServing) || this.controller < 0) return replicas;
    return [this.controller, ...replicas.slice(1)];
  }
}
