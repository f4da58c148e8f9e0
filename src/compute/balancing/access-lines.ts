// One log line for each access to a load balancer with central logging.
import type { LogSource, WriteLogLine } from '../../core/resource-logs.ts';
import { regionOfLocation } from '../../core/resource-logs.ts';
import type { Store } from '../../core/store.ts';
import type { Hop, Packet, Verdict } from '../network/verdict.ts';

const places: Partial<Record<Hop['kind'], string>> = {
  networkloadbalancer: 'networkloadbalancers',
  applicationloadbalancer: 'applicationloadbalancers',
};

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
    if (!this.#write) return;
    const noted = new Set<string>();
    for (const hop of verdict.hops) {
      const place = places[hop.kind];
      if (place === undefined || hop.datacenterId === null || noted.has(hop.id)) continue;
      noted.add(hop.id);
      const contract = contractOf(hop.datacenterId);
      if (contract !== undefined) await this.#tell(contract, hop.datacenterId, place, hop, verdict, packet);
    }
  }

  async #tell(
    contract: number,
    datacenterId: string,
    place: string,
    hop: Hop,
    verdict: Verdict,
    packet: Packet,
  ): Promise<void> {
    const datacenter = `datacenters/${datacenterId}`;
    const balancer = await this.#store.at(contract, `${datacenter}/${place}/${hop.id}`);
    if (!balancer || (JSON.parse(balancer.body) as { centralLogging?: boolean }).centralLogging !== true) return;
    const above = await this.#store.at(contract, datacenter);
    const { location = '' } = above ? (JSON.parse(above.body) as { location: string }) : {};
    const { http } = packet;
    const line = JSON.stringify({
      balancer: hop.id,
      kind: hop.kind,
      source: hop.sourceIp,
      sourcePort: hop.sourcePort,
      target: hop.targetIp,
      targetPort: hop.targetPort,
      ...(http && { method: http.method, host: http.host, path: http.path }),
      rule: 'rule' in hop.decidedBy ? hop.decidedBy.rule : null,
      action: hop.action,
      arrived: verdict.arrived,
    });
    this.#write?.(
      { contract, region: regionOfLocation(location) },
      { timeMs: this.#now(), line, labels: { datacenter_id: datacenterId, balancer_id: hop.id } },
    );
  }
}
