// The network of real machines on one Linux kernel: bridges, virtual interfaces, routes and nft. The applied state is
// stored in files that end with the namespaces, so a new process continues with the existing network.
import type { Log } from '../../../base/log.ts';
import { drainScript } from './balancers/drain.ts';
import { endProxy } from './balancers/proxy-script.ts';
import { connectionIn, removalOf } from './cut-connections.ts';
import type { Plan } from './plan.ts';
import { coreKey, hasOwnNamespace, type Unit } from './unit.ts';
import { type Place, unitScript } from './unit-script.ts';

// Runs a shell script in the core, and returns its output.
export type CoreShell = (script: string) => Promise<string>;

interface Applied {
  unit: Unit;
  place: string; // the namespace; another one is new
}

export interface LinuxNetworkOptions {
  shell: CoreShell;
  log: Log;
}

const stored = '/run/cumulet';
const bridgesKey = 'bridges';

export class LinuxNetwork {
  readonly #shell: CoreShell;
  readonly #log: Log;
  #applied: Map<string, Applied> | undefined; // undefined: not read yet
  readonly #failures = new Map<string, string>(); // logged once each, by part
  #bridges: readonly string[] = [];
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ shell, log }: LinuxNetworkOptions) {
    this.#shell = shell;
    this.#log = log;
  }

  // `processes`: the process of each running machine, by the id of its unit. Failed units are tried again by the next
  // call. Returns how many were changed.
  apply(plan: Plan, processes: ReadonlyMap<string, number>): Promise<number> {
    const turn = this.#turn.then(() => this.#apply(plan, processes));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  // Whether anything is, or may be, applied.
  get isUsed(): boolean {
    return this.#applied === undefined || this.#applied.size > 0;
  }

  // The addresses of each interface of a unit, by its MAC address.
  addressesOf(key: string): ReadonlyMap<string, string[]> {
    const unit = this.#applied?.get(key)?.unit;
    const own = (device: string): string[] =>
      (unit?.addresses ?? []).filter((one) => one.device === device).map(({ address }) => address.replace(/\/.*/, ''));
    return new Map((unit?.links ?? []).map(({ mac, device }) => [mac ?? '', own(device)]));
  }

  // The units that have the address.
  holdersOf(address: string): string[] {
    const has = ({ unit }: Applied): boolean =>
      unit.addresses.some((one) => one.address.replace(/\/.*/, '') === address);
    return [...(this.#applied ?? [])].flatMap(([key, applied]) => (has(applied) ? key : []));
  }

  // The ports of a unit's interfaces; undefined: not known yet.
  portsOf(key: string): string[] | undefined {
    return this.#applied?.get(key)?.unit.links.map(({ port }) => port);
  }

  // The balancers whose proxies should run.
  get proxies(): string[] {
    return [...(this.#applied?.values() ?? [])].flatMap(({ unit }) => (unit.proxy ? unit.key : []));
  }

  // Ends when the proxies have no connection to a machine that is no longer their target, or after five seconds.
  async drain(key: string): Promise<void> {
    const machine = this.#applied?.get(key)?.unit;
    const units = [...(this.#applied?.values() ?? [])].map(({ unit }) => unit);
    const script = machine && drainScript(machine, units);
    if (script !== undefined) await this.#shell(script);
  }

  // The next call of apply() makes these units again.
  redo(keys: readonly string[]): void {
    for (const key of keys) this.#applied?.delete(key);
  }

  // All namespaces are removed.
  clear(): void {
    this.#applied = new Map();
    this.#bridges = [];
  }

  // The core was lost with all namespaces.
  forget(): void {
    this.#applied = undefined;
  }

  async #apply(plan: Plan, processes: ReadonlyMap<string, number>): Promise<number> {
    const applied = this.#applied ?? (await this.#load());
    this.#applied = applied;
    const wanted = [...plan.gateways, ...plan.machines, ...plan.balancers];
    const keys = new Set([coreKey, ...wanted.map(({ key }) => key)]);
    const parts: Part[] = [];
    if (JSON.stringify(this.#bridges) !== JSON.stringify(plan.bridges))
      parts.push({ key: bridgesKey, script: bridgeLines(this.#bridges, plan.bridges).join('\n'), value: plan.bridges });
    for (const unit of wanted) this.#add(parts, unit, placeOf(unit, processes));
    this.#add(parts, plan.core, { enter: '', namespace: '', isRouter: true });
    for (const [key, { place }] of applied) if (!keys.has(key)) parts.push(removal(key, place));
    const gone = this.#bridges.filter((name) => !plan.bridges.includes(name));
    if (gone.length > 0)
      parts.push({ key: 'old bridges', script: gone.map((name) => `ip link del ${name}`).join('\n') });
    if (parts.length === 0) return 0;
    const before = new Map(applied);
    const filtered = wanted.filter((unit) => this.#isFilterChanged(unit, processes));
    this.#record(parts, await this.#shell(parts.map(partScript).join('\n')), plan);
    for (const { key } of filtered) await this.#cut(key, plan, processes);
    await this.#forgetMoved(before, wanted, processes);
    return parts.length;
  }

  #isFilterChanged(unit: Unit, processes: ReadonlyMap<string, number>): boolean {
    const known = this.#applied?.get(unit.key);
    return (
      known !== undefined && known.place === placeOf(unit, processes)?.namespace && known.unit.filter !== unit.filter
    );
  }

  // An address that an interface got later is still known to its neighbours with the previous interface.
  async #forgetMoved(
    before: ReadonlyMap<string, Applied>,
    units: readonly Unit[],
    processes: ReadonlyMap<string, number>,
  ): Promise<void> {
    const moved = units.flatMap(({ key, addresses }) => {
      const known = before.get(key)?.unit.addresses.map(({ address }) => address);
      return known
        ? addresses.flatMap(({ address }) => (known.includes(address) ? [] : (address.split('/')[0] ?? [])))
        : [];
    });
    if (moved.length === 0) return;
    const places = ['', ...units.map((unit) => placeOf(unit, processes)?.enter)].filter((one) => one !== undefined);
    const lines = places.flatMap((enter) => moved.map((ip) => `${enter} ip neigh flush to ${ip} 2>/dev/null || true`));
    await this.#shell(lines.join('\n'));
  }

  // Removes the connections that the new rules of a unit do not allow.
  async #cut(key: string, plan: Plan, processes: ReadonlyMap<string, number>): Promise<void> {
    const known = this.#applied?.get(key);
    const place = known && placeOf(known.unit, processes);
    if (!place) return;
    const listed = await this.#shell(
      `for f in ipv4 ipv6; do ${place.enter} conntrack -L -f $f 2>/dev/null; done; true`,
    );
    const connections = listed
      .split('\n')
      .map(connectionIn)
      .filter((one) => one !== undefined);
    const removed = connections.filter((one) => !plan.allows(key, one)).map(removalOf);
    if (removed.length > 0)
      await this.#shell(removed.map((line) => `${place.enter} ${line} >/dev/null 2>&1 || true`).join('\n'));
  }

  #add(parts: Part[], unit: Unit, place: Place | undefined): void {
    if (!place) return;
    const known = this.#applied?.get(unit.key);
    const before = known?.place === place.namespace ? known.unit : undefined;
    const script = unitScript(before, unit, place);
    if (script === '' && before) return;
    const create = hasOwnNamespace(unit.key) && !before ? `ip netns add ${unit.key} 2>/dev/null || true\n` : '';
    const value: Applied = { unit, place: place.namespace };
    parts.push({ key: unit.key, script: `${create}${script}`, value });
  }

  #record(parts: readonly Part[], output: string, plan: Plan): void {
    const failed = new Set<string>();
    for (const line of output.split('\n')) {
      const [, key, why] = /^failed (\S+) ?(.*)$/.exec(line) ?? [];
      if (key === undefined) continue;
      failed.add(key);
      if (this.#failures.get(key) !== why)
        this.#log.warn('a part of the network could not be changed', { part: key, why });
      this.#failures.set(key, why ?? '');
    }
    for (const key of this.#failures.keys()) if (!failed.has(key)) this.#failures.delete(key);
    for (const { key, value } of parts) {
      if (key === bridgesKey) {
        if (!failed.has(key)) this.#bridges = plan.bridges;
      } else if (failed.has(key) || value === undefined) this.#applied?.delete(key);
      else this.#applied?.set(key, value as Applied);
    }
  }

  async #load(): Promise<Map<string, Applied>> {
    const text = await this.#shell(
      `mkdir -p -m 700 ${stored}; mount -o remount,rw /proc/sys 2>/dev/null || true\n` +
        'for name in iptables ip6tables arptables; do\n' +
        'echo 0 > /proc/sys/net/bridge/bridge-nf-call-$name\ndone 2>/dev/null || true\n' +
        `for file in ${stored}/*; do if [ -f "$file" ]; then cat "$file"; echo; fi; done`,
    );
    const entries = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { key: string; value: Applied | string[] });
    const bridges = entries.find(({ key }) => key === bridgesKey);
    this.#bridges = (bridges?.value as string[] | undefined) ?? [];
    return new Map(entries.filter((one) => one !== bridges).map(({ key, value }) => [key, value as Applied]));
  }
}

interface Part {
  key: string;
  script: string;
  value?: unknown; // what is applied afterwards; absent: nothing
}

// A part that fails keeps none of the others from its turn. Its next try begins as if nothing were known of it.
function partScript({ key, script, value }: Part): string {
  const file = `${stored}/${key.replaceAll(' ', '-')}`;
  const done = value === undefined ? `rm -f ${file}` : `cat > ${file} <<'END'\n${JSON.stringify({ key, value })}\nEND`;
  return `why=$( { set -e\n${script}\n${done}\n} 2>&1 ) || { rm -f ${file}; echo failed ${key.replaceAll(' ', '-')} $why; }`;
}

function bridgeLines(before: readonly string[], after: readonly string[]): string[] {
  return after
    .filter((name) => !before.includes(name))
    .flatMap((name) => [
      `ip link add ${name} type bridge forward_delay 0 mcast_snooping 0 2>/dev/null || true`,
      `ip link set ${name} up`,
    ]);
}

function removal(key: string, place: string): Part {
  if (place !== key) return { key, script: ':' };
  return { key, script: `${endProxy(key)}\nip netns del ${key} 2>/dev/null || true` };
}

// A machine that does not run has no namespace.
export function placeOf({ key }: Pick<Unit, 'key'>, processes: ReadonlyMap<string, number>): Place | undefined {
  if (hasOwnNamespace(key)) return { enter: `ip netns exec ${key}`, namespace: key, isRouter: true };
  const pid = processes.get(key);
  return pid === undefined ? undefined : { enter: `nsenter -t ${pid} -n`, namespace: String(pid), isRouter: false };
}
