// The schedule of rule groups, and their evaluation. A group has one slot in each interval, spread by its name; it is
// evaluated once per slot, with the start of the slot as its time. Missed slots (a moved clock, a stop) are skipped.
import { hash } from 'node:crypto';
import type { Key, Row } from '../../../core/state/engine.ts';
import {
  dropRules,
  fileOf,
  type GroupState,
  type Kept,
  type RuleFile,
  ruleRows,
  stateKey,
  stateOf,
  stateRows,
} from '../alert-rows.ts';
import type { GroupName } from '../channels/notification-rows.ts';
import { LimitedTasks } from '../limited-tasks.ts';
import type { AlertTools } from '../ports.ts';
import { intervalOf, type RuleGroup } from '../rules/rule-group.ts';
import { evaluateGroup, retireGroup } from './evaluation.ts';
import { GroupStatus } from './group-status.ts';

const mostAtOnce = 64;
const mostOfContract = 8;
const patienceMs = 5000;

interface Watched {
  key: string;
  about: GroupName;
  group: RuleGroup;
  memory: GroupStatus;
  offsetMs: number; // of its slots
}

export class EvaluationSchedule {
  #tools: AlertTools;
  #tasks = new LimitedTasks(mostAtOnce, mostOfContract);
  #files = new Map<string, Kept<RuleFile>>(); // as last read
  #watched = new Map<string, Watched>();
  #orphans: Kept<GroupState>[] = [];
  #epoch: number | string | undefined;

  constructor(tools: AlertTools) {
    this.#tools = tools;
  }

  get groups(): number {
    return this.#watched.size;
  }

  // Runs the groups of one source, on the node that has its data.
  async run(source: string): Promise<void> {
    const epoch = await this.#tools.store.epochOf(0);
    if (epoch !== this.#epoch) await this.#load();
    this.#epoch = epoch;
    const now = this.#tools.now();
    for (const watched of this.#watched.values()) {
      const { key, about, group, memory, offsetMs } = watched;
      const slot = slotAt(now, group, offsetMs);
      if (about.pipeline.source !== source || slot <= memory.slot) continue;
      const time = slot * intervalOf(group) + offsetMs;
      const isStarted = this.#tasks.start(key, () => this.#evaluate(watched, time), groupOf(about));
      if (isStarted) memory.slot = slot;
    }
    this.#orphans = this.#orphans.filter((orphan) => {
      if (orphan.value.pipeline.source !== source) return true;
      const key = `retire ${keyOf(orphan.value)}`;
      return !this.#tasks.start(key, () => this.#retire(orphan), groupOf(orphan.value));
    });
    await this.#tasks.settled(patienceMs);
  }

  memoryOf(about: GroupName): GroupStatus | undefined {
    return this.#watched.get(keyOf(about))?.memory;
  }

  close(): Promise<void> {
    return this.#tasks.settled(patienceMs);
  }

  async #load(): Promise<void> {
    const { store } = this.#tools;
    const states = await stateRows(store); // read before the files, so that no state belongs to a newer group
    const rows = await ruleRows(store);
    const files = rows.map((row) => this.#read(row));
    const before = this.#watched;
    this.#files = new Map(files.map((file) => [pathOf(file.row), file]));
    this.#watched = new Map(
      files.flatMap((file) => this.#watchedIn(file, before)).map((watched) => [watched.key, watched]),
    );
    const known = new Set([...this.#watched.values()].map(({ about }) => pathOf(stateOfGroup(about))));
    this.#orphans = states.filter((row) => !known.has(pathOf(row))).map(stateOf);
  }

  // Parses only changed rows.
  #read(row: Row): Kept<RuleFile> {
    const known = this.#files.get(pathOf(row));
    return known?.row.body === row.body ? { ...known, row } : fileOf(row);
  }

  // A new group waits for the slot after the one in which it was written.
  #watchedIn({ row, value }: Kept<RuleFile>, before: ReadonlyMap<string, Watched>): Watched[] {
    const { pipeline, namespace, entries } = value;
    return entries.map(({ group }) => {
      const about = { pipeline, namespace, group: group.name };
      const key = keyOf(about);
      const offsetMs = Number.parseInt(hash('sha256', key).slice(0, 8), 16) % intervalOf(group);
      const known = before.get(key);
      const goesOn = known !== undefined && intervalOf(known.group) === intervalOf(group);
      const memory = goesOn ? known.memory : new GroupStatus(slotAt(row.time, group, offsetMs));
      return { key, about, group, memory, offsetMs };
    });
  }

  async #evaluate({ about, group, memory }: Watched, time: number): Promise<void> {
    const { sources, store, log } = this.#tools;
    try {
      const { contract, id } = about.pipeline;
      if (await sources.of(about.pipeline).find(contract, id))
        await evaluateGroup(this.#tools, about, group, memory, time);
      else await dropRules(store, about.pipeline.id);
    } catch (error) {
      log.error('rule group not evaluated', { pipeline: about.pipeline.id, group: about.group, error });
    }
  }

  async #retire(orphan: Kept<GroupState>): Promise<void> {
    const { sources, log } = this.#tools;
    const { pipeline } = orphan.value;
    const { contract, id } = pipeline;
    try {
      await retireGroup(this.#tools, orphan, (await sources.of(pipeline).find(contract, id)) !== undefined);
    } catch (error) {
      this.#epoch = undefined; // so that it is read again
      log.error('rule group not retired', { pipeline: id, group: orphan.value.group, error });
    }
  }
}

const keyOf = ({ pipeline, namespace, group }: GroupName): string =>
  JSON.stringify([pipeline.contract, pipeline.id, namespace, group]);

const groupOf = ({ pipeline }: Pick<GroupName, 'pipeline'>): string => String(pipeline.contract);

const stateOfGroup = ({ pipeline, namespace, group }: GroupName): Key => stateKey(pipeline, namespace, group);

const pathOf = ({ place, id }: Key): string => `${place}/${id}`;

const slotAt = (time: number, group: RuleGroup, offsetMs: number): number =>
  Math.floor((time - offsetMs) / intervalOf(group));
