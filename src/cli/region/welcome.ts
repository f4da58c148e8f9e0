// The output of `up`: the addresses, the owner on the first start, the next steps, how to stop.

import { bold, cyan, dim, duration, green, print } from '../../command/terminal.ts';
import { self } from '../../config/command-line.ts';
import { products } from '../../products.ts';
import type { OutputMode } from './output-mode.ts';
import type { Ready } from './ready.ts';
import { seededLines } from './seeded.ts';

const labels: Readonly<Record<string, string>> = Object.assign({}, ...products.map((product) => product.labels));

const unlisted = ['region', 'metrics', 'logs', 'reachability']; // the gateway, endpoints of pipelines, a single operation

// `ownerFile`: the file with the written password; empty if the caller chose it.
export function announce(ready: Ready, mode: OutputMode, ownerFile: string, where?: 'background' | 'already'): void {
  if (mode.json) return void process.stdout.write(`${JSON.stringify(ready)}\n`);
  const isBackground = where !== undefined;
  const how = {
    already: `was already up, pid ${ready.pid}, with the options it was started with`,
    background: `is up in the background, pid ${ready.pid}`,
    here: 'is up',
  }[where ?? 'here'];
  const blocks = [
    [`${green('●')} ${bold(`Cumulet ${ready.version}`)} ${how}`],
    [
      row('Gateway', cyan(ready.gateway), 'all services, by path'),
      row('HTTPS', cyan(ready.https), 'the same, with a certificate of the region’s own CA'),
      row('Proxy', cyan(ready.proxy), 'answers for the built-in hosts of clients'),
      row(
        'Console',
        cyan(`${ready.gateway}/console`),
        ready.owner ? 'sign in with the account below' : 'sign in with an account of the region',
      ),
      row('API pages', cyan(`${ready.gateway}/docs`), 'read, search and try all operations'),
    ],
    Object.entries(ready.services)
      .filter(([name]) => !unlisted.includes(name))
      .map(([name, url]) => row(labels[name] ?? name, url)),
    ownerRows(ready, ownerFile),
    ready.seeded ? seededLines(ready.seeded) : [],
    [
      row('Data', ready.data),
      ...stateRows(ready),
      ...(ready.log === undefined ? [] : [row('Log', ready.log)]),
      ...machineRows(ready),
      ...clockRows(ready),
      ...faultRows(ready, mode.hint),
    ],
    [
      `${bold('Next')}${isBackground ? '' : ', in another terminal'}`,
      next(`eval "$(${self()} env --proxy${mode.hint})"`, 'existing clients and SDKs talk to this region'),
      next(`eval "$(${self()} env${mode.hint})"`, 'or: ionosctl, Terraform and Go; --aws: also S3 clients'),
      next(`${self()} status${mode.hint}`, 'addresses and state of the region'),
    ],
    [
      isBackground
        ? `Stop it with: ${bold(`${self()} down${mode.hint}`)}`
        : `${bold('Ctrl-C')} stops it; all data is kept.`,
    ],
  ];
  const shown = blocks.filter((lines) => lines.length > 0);
  print(`\n${shown.map((lines) => lines.map((line) => `  ${line}`).join('\n')).join('\n\n')}\n`);
}

const stateRows = ({ stateAt }: Ready): string[] => (stateAt === undefined ? [] : [row('State', stateAt)]);

function machineRows({ machines: { engine, abilities } }: Ready): string[] {
  if (engine === 'simulated') return [row('Machines', 'simulated: --machines docker runs real ones')];
  return [row('Machines', engine), ...abilities.map(([what, value]) => row('', `${what}: ${value}`))];
}

function clockRows({ clock: { now, offsetMs } }: Ready): string[] {
  if (offsetMs === 0) return [];
  return [row('Clock', `${now}: the lab moved it ${duration(offsetMs / 1000)} ahead of the machine's clock`)];
}

const faultRows = ({ faults }: Ready, hint: string): string[] =>
  faults === 0 ? [] : [row('Faults', `${faults} planted by the lab: ${self()} lab faults${hint}`)];

function ownerRows(ready: Ready, ownerFile: string): string[] {
  const { owner, contract } = ready;
  if (!owner) return [row('Contract', String(contract))];
  const password =
    ownerFile === ''
      ? row('Password', dim('the value of CUMULET_OWNER_PASSWORD'))
      : row('Password', bold(owner.password));
  const written = ownerFile === '' ? [] : [row('', `shown only once, and written to ${ownerFile}`)];
  return [row('Contract', String(contract)), row('Owner', bold(owner.email)), password, ...written];
}

// A narrow terminal would wrap the notes.
const wide = (process.stdout.columns ?? 120) >= 100;

const row = (name: string, value: string, note = ''): string =>
  `${dim(`${name.padEnd(10)} `)}${note === '' || !wide ? value : `${padded(value, 38)}  ${dim(note)}`}`;

const next = (line: string, note: string): string =>
  wide ? `  ${padded(line, 47)}  ${dim(`# ${note}`)}` : `  ${dim(`# ${note}`)}\n    ${line}`;

// Colour codes have no width on the screen.
// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with it
const shownLength = (text: string): number => text.replaceAll(/\u001b\[\d+m/g, '').length;
const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - shownLength(text)));
