// The status of a group's last evaluation in this process: its result, and the newest values of its alerts. It is lost
// with a restart.
import type { Labels } from '../../series.ts';
import type { ActiveAlert } from './alert-state.ts';
import type { RulePause } from './rule-pause.ts';

export interface RuleStatus {
  health: 'unknown' | 'ok' | 'err';
  lastError: string;
  lastEvaluation: number; // 0: not yet
  evaluationMs: number;
  alerts: ActiveAlert[];
  recorded: ReadonlyMap<string, Labels>; // series of a recording rule
  pause: RulePause | undefined; // present if its query was too heavy
}

export class GroupStatus {
  slot: number; // of the last evaluation
  lastEvaluation = 0;
  evaluationMs = 0;
  #rules = new Map<string, RuleStatus>();

  constructor(slot: number) {
    this.slot = slot;
  }

  // The last error of any rule; empty if all succeeded.
  get lastError(): string {
    return [...this.#rules.values()].find(({ lastError }) => lastError !== '')?.lastError ?? '';
  }

  status(identity: string): RuleStatus {
    const known = this.#rules.get(identity);
    if (known) return known;
    const fresh = {
      lastError: '',
      lastEvaluation: 0,
      evaluationMs: 0,
      alerts: [],
      recorded: new Map(),
      pause: undefined,
    };
    const status: RuleStatus = { health: 'unknown', ...fresh };
    this.#rules.set(identity, status);
    return status;
  }

  keepOnly(identities: ReadonlySet<string>): void {
    for (const identity of this.#rules.keys()) if (!identities.has(identity)) this.#rules.delete(identity);
  }

  went(status: RuleStatus, time: number, ms: number, error: string): void {
    status.health = error === '' ? 'ok' : 'err';
    status.lastError = error;
    status.lastEvaluation = time;
    status.evaluationMs = ms;
  }

  ended(time: number, ms: number): void {
    this.lastEvaluation = time;
    this.evaluationMs = ms;
  }
}
