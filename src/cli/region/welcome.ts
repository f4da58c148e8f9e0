// The screen of `up`: what runs where, the owner on the first start, what to do next, how to stop.

import { bold, cyan, dim, duration, green, print, self } from '../terminal.ts';
import type { OutputMode } from './output-mode.ts';
import type { Ready } from './ready.ts';

const titles: Record<string, string> = {
  cloudapi: 'Core API',
  autoscaling: 'Scaling',
  auth: 'Tokens',
  activitylog: 'Activity',
  monitoring: 'Monitoring',
  logging: 'Logging',
  forward: 'Log agents',
  streaming: 'Streaming',
  inference: 'Inference',
  modelhub: 'Model hub',
  dns: 'DNS',
  dnsserver: 'DNS server',
  certificates: 'Certs',
  billing: 'Billing',
  lab: 'Lab',
  objectstorage: 'S3 keys',
  objects: 'S3',
};

const unlisted = ['region', 'metrics', 'logs', 'reachability']; // the gateway, endpoints of pipelines, one call

// `ownerFile`: where the password was written; empty if the caller chose it.
export function announce(ready: Ready, mode: OutputMode, ownerFile: string, where?: 'background' | 'already'): void {
  if (mode.json) return void process.stdout.write(`${JSON.stringify(ready)}\n`);
  const isBackground = where !== undefined;
  const how =
    where === 'already'
      ? ` already, pid ${ready.pid}, with the options it was started with`
      : isBackground
        ? ` in the background, pid ${ready.pid}`
        : '';
  const blocks = [
    [`${green('●')} ${bold(`Cumulet ${ready.version}`)} is up${how}`],
    [
      row('Gateway', cyan(ready.gateway), 'every service by its path'),
      row('HTTPS', cyan(ready.https), 'the same, certified by the region’s own CA'),
      row('Proxy', cyan(ready.proxy), 'answers for the hosts that clients have built in'),
      row(
        'Console',
        cyan(`${ready.gateway}/console`),
        ready.owner ? 'sign in with the account below' : 'sign in with an account of the region',
      ),
      row('API pages', cyan(`${ready.gateway}/docs`), 'read, search and try every operation'),
    ],
    Object.entries(ready.services)
      .filter(([name]) => !unlisted.includes(name))
      .map(([name, url]) => row(titles[name] ?? name, url)),
    ownerRows(ready, ownerFile),
    [
      row('Data', ready.data),
      ...stateRows(ready),
      ...(ready.log === undefined ? [] : [row('Log', ready.log)]),
      ...clockRows(ready),
      ...faultRows(ready, mode.hint),
    ],
    [
      `${bold('Next')}${isBackground ? '' : ', in another terminal'}`,
      next(`eval "$(${self()} env --proxy${mode.hint})"`, 'existing clients and SDKs talk to this region'),
      next(`eval "$(${self()} env${mode.hint})"`, 'or: ionosctl, Terraform and Go; --aws: S3 clients too'),
      next(`${self()} status${mode.hint}`, 'what runs where, at any time'),
    ],
    [
      isBackground
        ? `Stop it with: ${bold(`${self()} down${mode.hint}`)}`
        : `${bold('Ctrl-C')} stops it; everything stays.`,
    ],
  ];
  print(`\n${blocks.map((lines) => lines.map((line) => `  ${line}`).join('\n')).join('\n\n')}\n`);
}

const stateRows = ({ stateAt }: Ready): string[] => (stateAt === undefined ? [] : [row('State', stateAt)]);

function clockRows({ clock: { now, offsetMs } }: Ready): string[] {
  if (offsetMs === 0) return [];
  return [row('Clock', `${now}: the lab moved it ${duration(offsetMs / 1000)} ahead of the machine's`)];
}

const faultRows = ({ faults }: Ready, hint: string): string[] =>
  faults === 0 ? [] : [row('Faults', `${faults} planted by the lab: ${self()} lab faults${hint}`)];

function ownerRows(ready: Ready, ownerFile: string): string[] {
  const { owner, contract } = ready;
  if (!owner) return [row('Contract', String(contract))];
  const password =
    ownerFile === '' ? row('Password', dim('as CUMULET_OWNER_PASSWORD says')) : row('Password', bold(owner.password));
  const written = ownerFile === '' ? [] : [row('', `shown this once, and written to ${ownerFile}`)];
  return [row('Contract', String(contract)), row('Owner', bold(owner.email)), password, ...written];
}

// A narrow terminal would wrap the notes.
const wide = (process.stdout.columns ?? 120) >= 100;

const row = (name: string, value: string, note = ''): string =>
  `${dim(`${name.padEnd(10)} `)}${note === '' || !wide ? value : `${padded(value, 38)}  ${dim(note)}`}`;

const next = (line: string, note: string): string =>
  wide ? `  ${padded(line, 47)}  ${dim(`# ${note}`)}` : `  ${dim(`# ${note}`)}\n    ${line}`;

// Colour codes have no width on the screen.
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they begin with
const shownLength = (text: string): number => text.replaceAll(/\u001b\[\d+m/g, '').length;
const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - shownLength(text)));
