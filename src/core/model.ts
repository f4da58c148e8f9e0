// All declarations of the region together, with the tools of the product each belongs to.
import type { DecisionContext, Resource } from './resource.ts';
import type { Store } from './store.ts';

export class Model {
  #resources = new Map<string, Resource>();
  #children = new Map<string, Resource[]>();
  #desks = new Map<string, DecisionContext>();
  #store: Store;
  #now: () => number;

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  add<Tools>(resources: readonly Resource<Tools>[], tools: Tools): readonly Resource[] {
    const context: DecisionContext<Tools> = {
      store: this.#store,
      now: this.#now,
      tools,
      resource: (name) => this.get(name),
    };
    for (const resource of resources as readonly Resource[]) {
      if (this.#resources.has(resource.name)) throw new Error(`two resources are called ${resource.name}`);
      this.#resources.set(resource.name, resource);
      this.#desks.set(resource.name, context);
      for (const parent of resource.parents) {
        const siblings = this.#children.get(parent.name) ?? [];
        this.#children.set(parent.name, [...siblings, resource]);
      }
    }
    return resources as readonly Resource[];
  }

  all(): Resource[] {
    return [...this.#resources.values()];
  }

  find(name: string): Resource | undefined {
    return this.#resources.get(name);
  }

  get(name: string): Resource {
    const resource = this.#resources.get(name);
    if (!resource) throw new Error(`no resource is called ${name}`);
    return resource;
  }

  children(resource: Resource): readonly Resource[] {
    return this.#children.get(resource.name) ?? [];
  }

  context(resource: Resource): DecisionContext {
    const context = this.#desks.get(resource.name);
    if (!context) throw new Error(`${resource.name} has no decision context`);
    return context;
  }
}
