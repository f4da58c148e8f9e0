// The payload for channels: version 4 of Alertmanager's webhook payload.
import { iso } from '../../../base/clock.ts';
import type { Labels } from '../../series.ts';
import { wordsOf } from '../rules/rule-group.ts';
import { type AlertNotification, byImportance, type NotifiedAlert } from './notification.ts';
import type { GroupName } from './notification-rows.ts';

export interface AlertPayload {
  version: '4';
  groupKey: string;
  truncatedAlerts: number;
  status: 'firing' | 'resolved';
  receiver: string;
  groupLabels: Record<string, string>;
  commonLabels: Record<string, string>;
  commonAnnotations: Record<string, string>;
  externalURL: string;
  alerts: PayloadAlert[];
}

export interface PayloadAlert {
  status: 'firing' | 'resolved';
  labels: Record<string, string>;
  annotations: Record<string, string>;
  startsAt: string;
  endsAt: string;
  generatorURL: string;
  fingerprint: string;
}

const mostAlerts = 500;
const never = '0001-01-01T00:00:00Z';

export function payloadOf(
  { pipeline, namespace, group }: GroupName,
  { alerts }: Pick<AlertNotification, 'alerts'>,
  receiver: string,
  externalURL: string,
): AlertPayload {
  const shown = [...alerts].sort(byImportance).slice(0, mostAlerts);
  return {
    version: '4',
    groupKey: `${pipeline.id}/${namespace}:${JSON.stringify(group)}`,
    truncatedAlerts: alerts.length - shown.length,
    status: alerts.some(({ endsAt }) => endsAt === 0) ? 'firing' : 'resolved',
    receiver,
    groupLabels: { pipeline: pipeline.id, rule_namespace: namespace, rule_group: group },
    commonLabels: common(shown.map(({ labels }) => labels)),
    commonAnnotations: common(shown.map(({ annotations }) => annotations)),
    externalURL,
    alerts: shown.map(alertOf),
  };
}

const alertOf = ({ labels, annotations, startsAt, endsAt, generatorURL }: NotifiedAlert): PayloadAlert => ({
  status: endsAt > 0 ? 'resolved' : 'firing',
  labels: wordsOf(labels),
  annotations: wordsOf(annotations),
  startsAt: iso(startsAt),
  endsAt: endsAt > 0 ? iso(endsAt) : never,
  generatorURL,
  fingerprint: fingerprint(labels),
});

function common([first = [], ...rest]: Labels[]): Record<string, string> {
  const others = rest.map((labels) => new Map(labels));
  return wordsOf(first.filter(([name, value]) => others.every((labels) => labels.get(name) === value)));
}

const offset = 0xcbf29ce484222325n;
const prime = 0x100000001b3n;
const word = 0xffffffffffffffffn;

// 64-bit FNV-1a over names and values with 0xff after each: the fingerprint of Alertmanager.
export function fingerprint(labels: Labels): string {
  let sum = offset;
  const add = (byte: number): void => {
    sum = ((sum ^ BigInt(byte)) * prime) & word;
  };
  for (const pair of labels)
    for (const text of pair) {
      for (const byte of Buffer.from(text)) add(byte);
      add(0xff);
    }
  return sum.toString(16).padStart(16, '0');
}
