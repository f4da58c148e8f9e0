// Lost updates of the list of failover groups. Clients read the list, remove one group and send the rest; if several do
// so at once, as Terraform does, each would restore the groups that the others removed, and the servers of those groups
// could no longer be deleted. So a list that removes a group restores none that was removed a moment ago.
import type { Values } from '../../base/json.ts';
import type { Draft } from '../../core/resource.ts';

const momentMs = 5000;

interface Group {
  ip: string;
  nicUuid: string;
}

type Ended = Group & { time: number };

export function dropEndedGroups({ values, previous, hidden }: Draft, now: number): void {
  const [sent, stands] = [groupsOf(values), groupsOf(previous)];
  const leaving = stands.filter((one) => !isAmong(sent, one));
  if (leaving.length === 0) return;
  const ended = ((hidden.endedGroups ?? []) as unknown as Ended[]).filter(({ time }) => time > now - momentMs);
  const left = sent.filter((one) => isAmong(stands, one) || !isAmong(ended, one));
  values.ipFailover = left as unknown as Values[];
  hidden.endedGroups = [...ended, ...leaving.map((one): Ended => ({ ...one, time: now }))] as unknown as Values[];
}

const groupsOf = ({ ipFailover }: Values): Group[] => (ipFailover ?? []) as unknown as Group[];
const isAmong = (all: readonly Group[], { ip, nicUuid }: Group): boolean =>
  all.some((one) => one.ip === ip && one.nicUuid === nicUuid);
