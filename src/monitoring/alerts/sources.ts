// All sources that rules can query: the pipelines of every product that has some.

import { demandPrivilege, isAdmin } from '../../core/access.ts';
import { missingResource } from '../../core/missing-resource.ts';
import type { AlertPipeline, AlertSource, PipelineFinder } from '../../surface/alerting/source.ts';
import type { Exchange } from '../../surface/http/exchange.ts';

export class AlertSources implements PipelineFinder {
  readonly #list: () => readonly AlertSource[];

  // `list` is called when all products are open.
  constructor(list: () => readonly AlertSource[]) {
    this.#list = list;
  }

  of({ source }: Pick<AlertPipeline, 'source'>): AlertSource {
    const found = this.#list().find(({ name }) => name === source);
    if (!found) throw new Error(`no product has pipelines of ${source}`);
    return found;
  }

  async find(contract: number, id: string): Promise<AlertPipeline | undefined> {
    return (await this.#found(contract, id))?.pipeline;
  }

  async see(x: Exchange, id: string, changes: boolean): Promise<AlertPipeline> {
    const found = await this.#found(x.who.contract, id.toLowerCase());
    if (!found) throw missingResource({ name: 'pipeline' }, id);
    return found.source.see(x, id, changes);
  }

  // For rules of several pipelines and for channels, which are shared: the privilege of one product suffices.
  demandPrivilege({ who }: Exchange): void {
    const [first, ...rest] = this.#list();
    if (!first || isAdmin(who) || rest.some(({ privilege }) => who.privileges.has(privilege))) return;
    demandPrivilege(who, first.privilege);
  }

  async #found(contract: number, id: string): Promise<{ source: AlertSource; pipeline: AlertPipeline } | undefined> {
    for (const source of this.#list()) {
      const pipeline = await source.find(contract, id);
      if (pipeline) return { source, pipeline };
    }
    return undefined;
  }
}
