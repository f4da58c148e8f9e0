// A network of bare namespaces: each machine is a process that sleeps in one. It ends with the test process.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import {
  type DatacenterSpec,
  endProxy,
  FlowReader,
  flowUnits,
  type InterfaceFlows,
  LinuxNetwork,
  machineKey,
  type Nic,
  type Plan,
} from '../../../src/testing/black-box/network.ts';
import { debianTree } from '../../clients/debian.ts';
import { type Absent, find } from '../../clients/install.ts';

const run = promisify(execFile);

const packages = [
  ...['nftables', 'libnftables1', 'libnftnl11', 'libmnl0', 'libjansson4', 'libxtables12', 'conntrack'],
  ...['libnetfilter-conntrack3', 'libnfnetlink0'],
  ...['haproxy', 'liblua5.3-0', 'libopentracing-c-wrapper0', 'libopentracing1', 'libpcre2-8-0', 'libssl3'],
];

export interface Tools {
  env: NodeJS.ProcessEnv;
  tree: string;
  skip?: undefined;
}

export async function networkTools(): Promise<Tools | Absent> {
  if (process.platform !== 'linux') return { skip: 'network namespaces need Linux' };
  if (process.getuid?.() !== 0) return { skip: 'network namespaces need root' };
  if (!existsSync('/usr/sbin/ip') && !existsSync('/sbin/ip')) return { skip: 'ip is not installed' };
  const isInstalled = ['CUMULET_NFT', 'CUMULET_CONNTRACK', 'CUMULET_HAPROXY'].every(
    (setting) => find(setting, setting.slice('CUMULET_'.length).toLowerCase()).path,
  );
  const tree = isInstalled ? { path: '/' } : await debianTree('network', packages);
  if (tree.skip !== undefined) return tree;
  const places = (pattern: string): string[] =>
    [toolsInCore, tree.path].flatMap((root) => globSync(pattern, { cwd: tree.path }).map((one) => join(root, one)));
  const [libraries, programs] = [places('{usr/,}lib/*-linux-gnu/'), places('{usr/,}{bin,sbin}')];
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: libraries.join(delimiter),
    PATH: [...programs, process.env.PATH, '/usr/sbin', '/sbin'].join(delimiter),
  };
  try {
    await run('unshare', ['-n', '-m', 'true']);
  } catch {
    return { skip: 'this machine does not allow network namespaces' };
  }
  return { env, tree: tree.path };
}

// The users of proxies can't read the home folder of root, in which the tree may be.
const toolsInCore = '/run/tools';

const quiet = { info() {}, warn() {}, error() {} };

export class Namespaces {
  readonly network: LinuxNetwork;
  readonly flows: FlowReader;
  readonly recorded: InterfaceFlows[] = [];
  readonly warnings: unknown[] = [];
  readonly #env: NodeJS.ProcessEnv;
  readonly #core: ChildProcess;
  readonly #ready: Promise<unknown>;
  readonly #machines = new Map<string, ChildProcess>();
  readonly #balancers = new Set<string>();
  readonly #children = new Set<ChildProcess>();
  readonly datacenters: readonly DatacenterSpec[];

  constructor({ env, tree }: Tools, datacenters: readonly DatacenterSpec[], flowSetSize?: number) {
    this.#env = env;
    process.once('exit', this.#end);
    this.datacenters = datacenters;
    const script = `mount -t tmpfs tmpfs /run; mkdir -p /run/netns ${toolsInCore}; mount --bind "$1" ${toolsInCore}
ip link set lo up; echo ready; exec sleep infinity`;
    this.#core = this.#keep(
      spawn('unshare', ['-n', '-m', 'sh', '-c', script, 'core', tree], { env, stdio: ['ignore', 'pipe', 'ignore'] }),
    );
    this.#ready = once(this.#core.stdout as Readable, 'data');
    const log = { ...quiet, warn: (...what: unknown[]) => void this.warnings.push(what) };
    const shell = (text: string): Promise<string> => this.shell(text);
    this.network = new LinuxNetwork({ shell, log: log as never });
    const record = async (flows: readonly InterfaceFlows[]): Promise<void> => void this.recorded.push(...flows);
    this.flows = new FlowReader({ shell, log: log as never, record, ...(flowSetSize && { size: flowSetSize }) });
  }

  nic(id: string): Nic {
    return this.datacenterOf(id).nics.find((nic) => nic.id === id) as Nic;
  }

  datacenterOf(nicId: string): DatacenterSpec {
    const found = this.datacenters.find(({ nics }) => nics.some(({ id }) => id === nicId));
    if (!found) throw new Error(`no NIC ${nicId}`);
    return found;
  }

  // In the core.
  async shell(text: string): Promise<string> {
    await this.#ready;
    return this.#run(['-t', String(this.#core.pid), '-n', '-m', 'sh', '-s'], text);
  }

  // In a machine, or in the gateways of a datacenter (nat-…).
  inside(name: string, text: string): Promise<string> {
    const pid = this.#machines.get(name)?.pid;
    if (pid === undefined) return this.shell(`ip netns exec ${name} sh -s <<'INSIDE'\n${text}\nINSIDE`);
    return this.#run(['-t', String(pid), '-n', 'sh', '-s'], text);
  }

  // Returns the process of the namespace.
  async start(server: string): Promise<number> {
    const child = this.#keep(
      spawn('unshare', ['-n', 'sh', '-c', 'echo ready; exec sleep infinity'], { stdio: ['ignore', 'pipe', 'ignore'] }),
    );
    this.#machines.set(server, child);
    await once(child.stdout as Readable, 'data');
    return child.pid as number;
  }

  // Runs a Python program in a machine until the network ends. It prints a line when it is ready. Returns the function
  // that sends it a line and returns its next line.
  async serve(server: string, program: string, ...args: readonly string[]): Promise<(line: string) => Promise<string>> {
    const place = ['-t', String(this.#machines.get(server)?.pid), '-n'];
    const child = this.#keep(
      spawn('nsenter', [...place, 'python3', '-c', program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] }),
    );
    const lines = createInterface({ input: child.stdout as Readable })[Symbol.asyncIterator]();
    const next = async (): Promise<string> => String((await lines.next()).value);
    await next();
    return (line) => {
      child.stdin?.write(`${line}\n`);
      return next();
    };
  }

  stop(server: string): void {
    this.#machines.get(server)?.kill('SIGKILL');
    this.#machines.delete(server);
  }

  // The tables of the core and of all namespaces, as JSON.
  async rulesets(): Promise<[name: string, json: string][]> {
    const list = 'nft -j list table inet cumulet 2>/dev/null';
    const machines = [...this.#machines].map(([id, { pid }]) => `echo "${id} $(nsenter -t ${pid} -n ${list})"`);
    const text = await this.shell(
      [
        `echo "core $(${list})"`,
        'for name in $(ls /run/netns); do',
        `echo "$name $(ip netns exec $name ${list})"`,
        'done',
        ...machines,
      ].join('\n'),
    );
    const lines = text
      .split('\n')
      .map((line): [string, string] => [line.split(' ', 1)[0] ?? '', line.replace(/^\S+ /, '')]);
    return lines.filter(([, json]) => json.startsWith('{'));
  }

  async apply(plan: Plan): Promise<number> {
    await this.#ready;
    for (const { key } of plan.balancers) this.#balancers.add(key);
    const processes = new Map([...this.#machines].map(([id, { pid }]) => [machineKey(id), pid as number] as const));
    await this.flows.update(flowUnits(plan, processes));
    return this.network.apply(plan, processes);
  }

  close(): void {
    process.off('exit', this.#end);
    this.#end();
  }

  readonly #end = (): void => {
    // The proxies of balancers do not end with the core.
    if (this.#balancers.size > 0)
      spawnSync('sh', ['-c', [...this.#balancers].map(endProxy).join('\n')], { env: this.#env });
    this.#balancers.clear();
    for (const child of this.#children) child.kill('SIGKILL');
  };

  #keep(child: ChildProcess): ChildProcess {
    child.unref();
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return child;
  }

  #run(args: string[], input: string): Promise<string> {
    const child = spawn('nsenter', args, { env: this.#env, stdio: ['pipe', 'pipe', 'pipe'] });
    return new Promise((resolve, reject) => {
      let [output, errors] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
      child.once('error', reject);
      child.once('close', (code) =>
        code === 0 ? resolve(output) : reject(new Error(`code ${code}: ${errors}${input}`)),
      );
      child.stdin.end(input);
    });
  }
}
