// One log line for each access to a load balancer with central logging.
import type { LogSource, WriteLogLine } from '../../core/resource-logs.ts';
import { regionOfLocation } from '../../core/resource-logs.ts';
import type { Store } from '../../core/store.ts';
import type { HopKind, Packet, Verdict } from '../network/verdict.ts';

const places: Partial<Record<HopKind, string>> = {
  networkloadbalancer: 'networkloadbalancers',
  applicationloadbalancer: 'applicationloadbalancers',
};

export interface AccessedBalancer {
  contract: number;
  datacenterId: string;
  kind: HopKind;
  id: string;
}

export interface AccessLine {
  timeMs: number;
  fields: object;
}

export class BalancerAccess implements LogSource {
  readonly tag = 'loadbalancer';
  readonly product = 'compute';
  readonly #store: Store;
  readonly #now: () => number;
  #write: WriteLogLine | undefined;

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  begin(write: WriteLogLine): void {
    this.#write = write;
  }

  async note(verdict: Verdict, packet: Packet, contractOf: (datacenter: string) => number | undefined): Promise<void> {
    const noted = new Set<string>();
    const { http } = packet;
    for (const hop of verdict.hops) {
      const { kind, id, datacenterId } = hop;
      if (places[kind] === undefined || datacenterId === null || noted.has(id)) continue;
      noted.add(id);
      const contract = contractOf(datacenterId);
      if (contract === undefined) continue;
      const fields = {
        source: hop.sourceIp,
        sourcePort: hop.sourcePort,
        target: hop.targetIp,
        targetPort: hop.targetPort,
        ...(http && { method: http.method, host: http.host, path: http.path }),
        rule: 'rule' in hop.decidedBy ? hop.decidedBy.rule : null,
        action: hop.action,
        arrived: verdict.arrived,
      };
      await this.record({ contract, datacenterId, kind, id }, [{ timeMs: this.#now(), fields }]);
    }
  }

  async record({ contract, datacenterId, kind, id }: AccessedBalancer, lines: readonly AccessLine[]): Promise<void> {
    if (!this.#write) return;
    const datacenter = `datacenters/${datacenterId}`;
    const balancer = await this.#store.at(contract, `${datacenter}/${places[kind]}/${id}`);
    if (!balancer || (JSON.parse(balancer.body) as { centralLogging?: boolean }).centralLogging !== true) return;
    const above = await this.#store.at(contract, datacenter);
    const { location = '' } = above ? (JSON.parse(above.body) as { location: string }) : {};
    const owner = { contract, region: regionOfLocation(location) };
    const labels = { datacenter_id: datacenterId, balancer_id: id };
    for (const { timeMs, fields } of lines)
      this.#write(owner, { timeMs, line: JSON.stringify({ balancer: id, kind, ...fields }), labels });
  }
}
