// The container that connects the machines of a region: it has the bridges and routes, and changes the network
// namespaces of machines from outside. It is the only container with the right to change networks.
import { buffer } from 'node:stream/consumers';
import { Fault } from '../../../base/fault.ts';
import type { Log } from '../../../base/log.ts';
import { type DockerApi, filters } from './api.ts';
import { shellCommand } from './boot-script.ts';
import { execIn } from './exec-stream.ts';
import type { Images } from './images.ts';
import { networkLabel, networkName, regionLabel } from './names.ts';

export interface NetworkContainerTools {
  api: DockerApi;
  images: Images;
  region: string;
  log: Log;
}

interface Inspected {
  Id: string;
  State: { Running: boolean };
}

// SYS_ADMIN and SYS_PTRACE enter the namespaces of machines, whose processes the container sees. SETUID and SETGID
// start the proxies of load balancers without rights.
const capabilities = [
  ...['NET_ADMIN', 'NET_RAW', 'NET_BIND_SERVICE', 'SYS_ADMIN', 'SYS_PTRACE', 'DAC_OVERRIDE', 'SETUID', 'SETGID'],
];
const onHost = 'nsenter -t 1 -n'; // the container sees the processes of the host
const usualBridge = 'bridge'; // Docker's own network, which reaches the internet through the host

export class NetworkContainer {
  readonly #tools: NetworkContainerTools;
  #container: string | undefined;

  constructor(tools: NetworkContainerTools) {
    this.#tools = tools;
  }

  // Finds or starts the container. `isNew`: nothing of an earlier network is left.
  async open(): Promise<{ isNew: boolean }> {
    const { api, region } = this.#tools;
    const found = await api.find<Inspected>(`/containers/${networkName(region)}/json`);
    if (found?.State.Running) {
      const isNew = this.#container !== undefined && this.#container !== found.Id;
      this.#container = found.Id;
      return { isNew };
    }
    if (found) await this.remove();
    await this.#create();
    return { isNew: true };
  }

  // The host gets a route to the public addresses of machines, unless another region on this host has it.
  async addHostRoute(range: string): Promise<void> {
    const { api, region, log } = this.#tools;
    const all = await api.json<
      { Names: string[]; NetworkSettings: { Networks: Record<string, { IPAddress: string }> } }[]
    >('GET', '/containers/json', { query: { filters: filters({ label: [networkLabel] }) } });
    const addressOf = ({ NetworkSettings }: (typeof all)[number]): string =>
      NetworkSettings.Networks[usualBridge]?.IPAddress ?? '';
    const own = all.find(({ Names }) => Names.includes(`/${networkName(region)}`));
    if (!own || addressOf(own) === '') return; // without Docker's own network
    const used = /via (\S+)/.exec(await this.shell(`${onHost} ip route show ${range}`))?.[1];
    if (used === addressOf(own)) return;
    if (used !== undefined && all.some((one) => addressOf(one) === used)) {
      log.warn('the host reaches the public addresses of another region', { range, via: used });
      return;
    }
    await this.shell(`${onHost} ip route replace ${range} via ${addressOf(own)}`);
  }

  // Runs a script in the namespace of the container, and returns its output.
  async shell(script: string): Promise<string> {
    const stream = await execIn(this.#tools.api, networkName(this.#tools.region), {
      command: shellCommand('exec /bin/sh -s'),
    });
    const [output, errors] = [buffer(stream.duplex), buffer(stream.errors)];
    stream.duplex.end(script);
    const [text, problem, code] = await Promise.all([output, errors, stream.exitCode]);
    if (code !== 0)
      throw new Fault('refused', `The network could not be changed: ${String(problem).trim().slice(-500)}`);
    return String(text);
  }

  // With the host's routes to it.
  async remove(ranges: readonly string[] = []): Promise<void> {
    const { api, region } = this.#tools;
    this.#container = undefined;
    const name = networkName(region);
    if (ranges.length > 0 && (await api.find<Inspected>(`/containers/${name}/json`))?.State.Running) {
      const own = /src (\S+)/.exec(await this.shell('ip -o route get 192.0.2.1 2>/dev/null || true'))?.[1];
      for (const range of own === undefined ? [] : ranges)
        await this.shell(`${onHost} ip route del ${range} via ${own} 2>/dev/null || true`);
    }
    await api.settle('DELETE', `/containers/${name}`, { force: true, v: true }, [404, 409]);
  }

  async #create(): Promise<void> {
    const { api, region, images } = this.#tools;
    const networks = await api.json<{ Name: string }[]>('GET', '/networks', {
      query: { filters: filters({ name: [usualBridge] }) },
    });
    const hasBridge = networks.some(({ Name }) => Name === usualBridge);
    const { Id } = await api.json<{ Id: string }>('POST', '/containers/create', {
      query: { name: networkName(region) },
      body: {
        Image: await images.any(),
        User: 'root',
        Entrypoint: shellCommand('trap "exit 0" TERM INT; mkdir -p /run/netns; sleep infinity & wait $!'),
        Cmd: [],
        WorkingDir: '/',
        StopSignal: 'SIGTERM',
        Labels: { [regionLabel]: region, [networkLabel]: '1' },
        HostConfig: {
          NetworkMode: hasBridge ? usualBridge : 'none',
          PidMode: 'host',
          CapDrop: ['ALL'],
          CapAdd: capabilities,
          SecurityOpt: ['seccomp=unconfined', 'apparmor=unconfined'],
          MaskedPaths: [],
          ReadonlyPaths: [], // /proc/sys/net is writable
          Tmpfs: { '/run': 'rw,mode=755' },
          Privileged: false,
          RestartPolicy: { Name: 'no' },
          LogConfig: { Type: 'none', Config: {} },
        },
      },
    });
    await api.json('POST', `/containers/${Id}/start`);
    this.#container = Id;
  }
}
