// The network of machines on Docker: they have no network of Docker's, but the interfaces that the region gives them.
import type { Log } from '../../../base/log.ts';
import type { PortCounts } from '../../network/lan-interfaces.ts';
import type { Access } from '../../network/linux/balancers/access-line.ts';
import { type ProxyRow, readProxies } from '../../network/linux/balancers/proxy-statistics.ts';
import type { InterfaceFlows } from '../../network/linux/flow-counts.ts';
import { FlowReader, flowUnits } from '../../network/linux/flow-reader.ts';
import { type CoreShell, LinuxNetwork } from '../../network/linux/linux-network.ts';
import { PacketSender } from '../../network/linux/packet-sender.ts';
import { planOf } from '../../network/linux/plan.ts';
import { readPorts } from '../../network/linux/port-counts.ts';
import { balancerKey, machineKey, versionOf } from '../../network/linux/unit.ts';
import type { MachineNetwork, NetworkDetails, RealPacket } from '../../network/machine-network.ts';
import type { TopologyIndex } from '../../network/topology/topology-index.ts';
import type { RealOutcome } from '../../network/verdict-view.ts';
import type { DockerApi } from './api.ts';
import { NetworkContainer, type NetworkContainerTools } from './network-container.ts';
import type { Observer } from './observer.ts';
import { AccessStream } from './services/access-stream.ts';
import { NetworkServices, type NetworkServicesTools } from './services/network-services.ts';
import type { MachineTraffic } from './usage-meter.ts';

export interface DockerNetworkTools extends NetworkContainerTools, NetworkServicesTools {
  observer: Observer;
}

const uplink = { device: 'eth0', isMasked: true };

export class DockerNetwork implements MachineNetwork {
  readonly #api: DockerApi;
  readonly #observer: Observer;
  readonly #container: NetworkContainer;
  readonly #network: LinuxNetwork;
  readonly #flows: FlowReader;
  readonly #packets: PacketSender;
  readonly #services: NetworkServices;
  readonly #accesses: AccessStream;
  readonly #log: Log;
  #recordFlows: (flows: readonly InterfaceFlows[]) => Promise<void> = async () => undefined;
  #applyLatest: () => Promise<void> = async () => undefined;
  #recordAccesses: (accesses: readonly Access[]) => Promise<void> = async () => undefined;
  #hasRoute = false; // on the host, or another region has it
  readonly #processes = new Map<string, number>(); // by container

  constructor(tools: DockerNetworkTools) {
    this.#api = tools.api;
    this.#observer = tools.observer;
    this.#container = new NetworkContainer(tools);
    const shell: CoreShell = (script) => this.#container.shell(script);
    this.#services = new NetworkServices(tools, shell);
    this.#accesses = new AccessStream(tools, (accesses) => this.#recordAccesses(accesses));
    this.#network = new LinuxNetwork({ shell, log: tools.log });
    this.#packets = new PacketSender({ shell, network: this.#network });
    this.#flows = new FlowReader({ shell, log: tools.log, record: (flows) => this.#recordFlows(flows) });
    this.#log = tools.log;
  }

  onBoot(listener: () => void): void {
    this.#observer.onRunning(listener);
  }

  onEnd(listener: () => Promise<void>): void {
    this.#applyLatest = listener;
  }

  onFlows(listener: (flows: readonly InterfaceFlows[]) => Promise<void>): void {
    this.#recordFlows = listener;
  }

  onAccesses(listener: (accesses: readonly Access[]) => Promise<void>): void {
    this.#recordAccesses = listener;
  }

  readFlows(): Promise<void> {
    return this.#flows.read();
  }

  async apply(index: TopologyIndex, { ranges, ...details }: NetworkDetails): Promise<void> {
    const processes = await this.#running();
    if (processes.size === 0) return this.#network.isUsed ? this.remove(ranges) : undefined;
    const { isNew } = await this.#container.open();
    if (isNew) {
      this.#network.forget();
      this.#flows.forget();
      this.#hasRoute = false;
    }
    const plan = planOf(index, { ranges, uplink, machines: processes.keys(), ...details });
    const places = byUnit(processes);
    await this.#flows
      .update(flowUnits(plan, places))
      .catch((error: unknown) => this.#log.warn('flows could not be counted', { error }));
    await this.#network.apply(plan, places);
    await this.#services.open();
    if (this.#network.proxies.length > 0) await this.#accesses.open();
    if (this.#hasRoute) return;
    for (const range of ranges) if (versionOf(range) === 4) await this.#container.addHostRoute(range);
    this.#hasRoute = true;
  }

  // A proxy that has ended starts again with the next call of apply().
  async readBalancers(): Promise<ProxyRow[]> {
    const wanted = this.#network.proxies;
    if (wanted.length === 0) return [];
    const rows = await readProxies((script) => this.#container.shell(script));
    const running = new Set(rows.map(({ balancerId }) => balancerKey(balancerId)));
    this.#network.redo(wanted.filter((key) => !running.has(key)));
    return rows;
  }

  async readPorts(): Promise<PortCounts> {
    if ((await this.#running()).size === 0) return {};
    return readPorts((script) => this.#container.shell(script));
  }

  // Docker counts only interfaces that it has made itself.
  async trafficOfMachines(): Promise<MachineTraffic> {
    const all = await this.readPorts().catch(() => undefined);
    return (serverId) => {
      const ports = all && this.#network.portsOf(machineKey(serverId));
      return ports && Object.fromEntries(ports.flatMap((port) => (all[port] ? [[port, all[port]]] : [])));
    };
  }

  async sendPacket(packet: RealPacket): Promise<RealOutcome> {
    const processes = await this.#running();
    if (processes.size === 0)
      return {
        result: 'REJECTED',
        detail: 'No server is running, so the network does not exist and nothing was sent.',
      };
    return this.#packets.send(packet, byUnit(processes));
  }

  addressesOf(serverId: string): ReadonlyMap<string, string[]> {
    return this.#network.addressesOf(machineKey(serverId));
  }

  // Before a machine ends: load balancers that no longer have it as a target end their connections to it.
  async drain(serverId: string): Promise<void> {
    try {
      await this.#applyLatest();
      await this.#network.drain(machineKey(serverId));
    } catch (error) {
      this.#log.warn('connections to a machine were not ended', { server: serverId, error });
    }
  }

  async remove(ranges: readonly string[]): Promise<void> {
    this.close();
    this.#network.clear();
    this.#flows.forget();
    this.#hasRoute = false;
    await this.#container.remove(ranges.filter((range) => versionOf(range) === 4));
  }

  // Ends what needs the region; all else continues without it.
  close(): void {
    this.#services.close();
    this.#accesses.close();
  }

  // The first process of each running machine, by the id of its server.
  async #running(): Promise<Map<string, number>> {
    const running = new Map<string, number>();
    const containers = new Set<string>();
    for (const [id, { container, state }] of this.#observer.seen) {
      if (state !== 'running' && state !== 'paused') continue;
      containers.add(container);
      const pid = this.#processes.get(container) ?? (await this.#processOf(container));
      if (pid === 0) continue;
      this.#processes.set(container, pid);
      running.set(id, pid);
    }
    for (const container of this.#processes.keys()) if (!containers.has(container)) this.#processes.delete(container);
    return running;
  }

  async #processOf(container: string): Promise<number> {
    const found = await this.#api.find<{ State: { Pid: number } }>(`/containers/${container}/json`);
    return found?.State.Pid ?? 0;
  }
}

const byUnit = (processes: ReadonlyMap<string, number>): Map<string, number> =>
  new Map([...processes].map(([id, pid]) => [machineKey(id), pid]));
