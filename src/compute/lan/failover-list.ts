// The list of failover groups as it is sent by those who read it, take one group out and send the rest. Where several
// do that at once, as Terraform does, each would bring back what the others took out, and the servers of those groups
// could not be deleted any more. So a list that takes a group out brings none back that went a moment ago.
import type { Values } from '../../base/json.ts';
import type { Draft } from '../../core/resource.ts';

const momentMs = 5000;

interface Group {
  ip: string;
  nicUuid: string;
}

type Ended = Group & { time: number };

export function leaveOutEnded({ values, previous, hidden }: Draft, now: number): void {
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
