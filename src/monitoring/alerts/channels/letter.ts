// Formats a notification as an e-mail: plain text in UTF-8, encoded so that any server can forward it.
import type { AlertPayload, PayloadAlert } from './payload.ts';

export interface Letter {
  from: string;
  to: readonly string[];
  payload: AlertPayload;
  delivery: string;
  nowMs: number; // real time
}

const mostShown = 100;

export function letterText({ from, to, payload, delivery, nowMs }: Letter): string {
  const head = [
    `From: Cumulet alerts <${from}>`,
    ...addressLines(to),
    ...encodedHeader('Subject', subjectOf(payload)),
    `Date: ${new Date(nowMs).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${delivery}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
  ];
  const body = Buffer.from(bodyOf(payload)).toString('base64').replace(/.{76}/g, '$&\r\n');
  return `${head.join('\r\n')}\r\n\r\n${body}\r\n`;
}

// One address per line keeps every line short, however many there are.
const addressLines = (to: readonly string[]): string[] => [`To: ${to.join(',\r\n ')}`];

function subjectOf({ status, alerts, groupLabels, commonLabels }: AlertPayload): string {
  const count = alerts.filter((alert) => alert.status === status).length;
  const name = commonLabels.alertname ?? groupLabels.rule_group ?? '';
  return `[${status.toUpperCase()}:${count}] ${name}`.slice(0, 200);
}

// Pieces of at most 75 characters each, cut between characters.
function encodedHeader(name: string, text: string): string[] {
  if (/^[\x20-\x7e]{0,60}$/.test(text)) return [`${name}: ${text}`];
  const pieces: string[] = [''];
  for (const letter of text.replace(/\p{Cc}/gu, ' ')) {
    const last = pieces.at(-1) ?? '';
    if (Buffer.byteLength(last + letter) <= 42) pieces[pieces.length - 1] = last + letter;
    else pieces.push(letter);
  }
  const words = pieces.map((piece) => `=?utf-8?B?${Buffer.from(piece).toString('base64')}?=`);
  return [`${name}: ${words.join('\r\n ')}`];
}

function bodyOf({ alerts, truncatedAlerts, externalURL, groupLabels }: AlertPayload): string {
  const firing = alerts.filter(({ status }) => status === 'firing');
  const resolved = alerts.filter(({ status }) => status === 'resolved');
  const left = Math.max(0, alerts.length - mostShown) + truncatedAlerts;
  const sections = [
    ...section('Firing', firing.slice(0, mostShown)),
    ...section('Resolved', resolved.slice(0, Math.max(0, mostShown - firing.length))),
    ...(left > 0 ? [`… and ${left} more.`, ''] : []),
    `Rule group: ${groupLabels.rule_group} in ${groupLabels.rule_namespace}`,
    `Dashboard: ${externalURL}`,
  ];
  return `${sections.join('\r\n')}\r\n`;
}

const section = (title: string, alerts: PayloadAlert[]): string[] =>
  alerts.length === 0 ? [] : [`${title} (${alerts.length})`, '', ...alerts.flatMap(described)];

function described({ labels, annotations, status, startsAt, endsAt, generatorURL }: PayloadAlert): string[] {
  const { alertname = '', ...rest } = labels;
  return [
    alertname,
    ...Object.entries(rest).map(([name, value]) => `  ${name} = ${value}`),
    ...Object.entries(annotations).map(([name, value]) => `  ${name}: ${value}`),
    `  since ${startsAt}${status === 'resolved' ? `, ended at ${endsAt}` : ''}`,
    `  ${generatorURL}`,
    '',
  ];
}
