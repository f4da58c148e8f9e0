// Loads the tables that count flows into the namespaces of units, and reads them. All its state is in the tables, so
// a new process continues with what the previous one has not recorded.
import { randomHex } from '../../../base/ids.ts';
import type { Log } from '../../../base/log.ts';
import { flowsIn, type InterfaceFlows } from './flow-counts.ts';
import { flowTable, flowTableText, type LoggedInterface, removalText } from './flow-table.ts';
import { type CoreShell, placeOf } from './linux-network.ts';
import type { Plan } from './plan.ts';
import type { Place } from './unit-script.ts';

export interface FlowUnit {
  key: string;
  place: Place;
  interfaces: readonly LoggedInterface[];
}

// `processes`: as LinuxNetwork applies the plan.
export const flowUnits = (plan: Plan, processes: ReadonlyMap<string, number>): FlowUnit[] =>
  [...plan.gateways, ...plan.balancers, ...plan.machines].flatMap(({ key }) => {
    const place = placeOf({ key }, processes);
    return place ? [{ key, place, interfaces: plan.logged.get(key) ?? [] }] : [];
  });

export interface FlowReaderOptions {
  shell: CoreShell;
  log: Pick<Log, 'warn'>;
  record(flows: readonly InterfaceFlows[]): Promise<void>;
  size?: number; // of a set, in flows
}

const usualSize = 10_000; // the flow log of an interface keeps no more of an interval
const generations = 0xffffff;

export class FlowReader {
  readonly #options: FlowReaderOptions;
  #units: readonly FlowUnit[] | undefined; // undefined: namespaces may have tables of a previous process
  #generation = Number.parseInt(randomHex(3), 16);
  readonly #failures = new Map<string, string>(); // logged once each, by unit
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: FlowReaderOptions) {
    this.#options = options;
  }

  // Called before namespaces are changed or removed: interfaces are counted from their first packet on, and those that
  // are no longer logged are read once more. Machines have their namespaces already, other units may get them later.
  update(units: readonly FlowUnit[]): Promise<void> {
    return this.#inTurn(async () => {
      const before = this.#units;
      const same = ({ key, place }: FlowUnit): FlowUnit | undefined =>
        before?.find((one) => one.key === key && one.place.namespace === place.namespace);
      const changed = units.filter(
        (one) => JSON.stringify(one.interfaces) !== JSON.stringify(same(one)?.interfaces ?? []),
      );
      const removed = (before ?? []).filter((one) => isNamed(one) && !units.some(({ key }) => key === one.key));
      await this.#read([...(before ? changed : units), ...removed.map((one) => ({ ...one, interfaces: [] }))]);
      this.#units = units;
    });
  }

  // Reads all units.
  read(): Promise<void> {
    return this.#inTurn(() => this.#read((this.#units ?? []).filter(({ interfaces }) => interfaces.length > 0)));
  }

  // All namespaces were removed.
  forget(): void {
    this.#units = undefined;
  }

  async #read(units: readonly FlowUnit[]): Promise<void> {
    if (units.length === 0) return;
    this.#generation = (this.#generation % generations) + 1;
    const generation = this.#generation.toString(16).padStart(6, '0');
    const { shell, size = usualSize, record } = this.#options;
    const output = await shell(units.map((unit) => readingScript(unit, generation, size)).join('\n'));
    const read = output
      .split(/^unit (?=\S+$)/m)
      .slice(1)
      .flatMap((text) => this.#readingOf(text, units, generation));
    const flows = read.flatMap(({ listed, current }) => flowsIn(listed, current));
    if (flows.length > 0) await record(flows);
    const removals = read.flatMap(({ unit, listed, current }) => {
      const text = removalText(listed, current);
      return text === '' ? [] : [`${unit.place.enter} nft -f - <<'END'\n${text}\nEND`];
    });
    if (removals.length > 0) await shell(removals.join('\n'));
  }

  #readingOf(text: string, units: readonly FlowUnit[], generation: string): Reading[] {
    const key = text.slice(0, text.indexOf('\n'));
    const listed = text.slice(key.length + 1);
    const unit = units.find((one) => one.key === key);
    const isListed = listed.startsWith(`table ${flowTable} {`);
    if (!isListed && listed !== '' && this.#failures.get(key) !== listed)
      this.#options.log.warn('the flows of a namespace could not be read', { part: key, why: listed.trim() });
    this.#failures.set(key, isListed ? '' : listed);
    if (!unit || !isListed) return [];
    return [{ unit, listed, current: unit.interfaces.length > 0 ? generation : undefined }];
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

interface Reading {
  unit: FlowUnit;
  listed: string;
  current: string | undefined; // the generation that has begun, if any
}

// Other units run in the namespace of a process.
const isNamed = ({ key, place }: FlowUnit): boolean => place.namespace === key;

function readingScript(unit: FlowUnit, generation: string, size: number): string {
  const { key, place, interfaces } = unit;
  const list = `${place.enter} nft -n list table ${flowTable}`;
  if (interfaces.length === 0) return `echo 'unit ${key}'\n${list} 2>/dev/null || true`;
  return [
    `echo 'unit ${key}'`,
    ...(isNamed(unit) ? [`ip netns add ${key} 2>/dev/null || true`] : []),
    `${place.enter} nft -f - 2>&1 <<'END' && ${list} || true`,
    flowTableText(interfaces, generation, size),
    'END',
  ].join('\n');
}
