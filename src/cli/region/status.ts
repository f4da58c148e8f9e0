// `status`
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { askRegion, type Status } from '../admin/operations.ts';
import { type Command, dataOption, jsonOption } from '../command.ts';
import { bold, columns, duration, green, print, printJson, size } from '../terminal.ts';

export const status: Command = {
  name: 'status',
  about: 'Shows what runs where, since when, and how much it holds. Exits with 2 if no region runs on the data folder.',
  options: [dataOption, jsonOption],
  examples: [
    ['cumulet status', 'for people'],
    ['cumulet status --json | jq -r .gateway', 'for scripts'],
  ],
  async run(input) {
    const told = await askRegion(input.data, 'status', {});
    const dataBytes = bytesBelow(input.data);
    const owner = firstOwnerIn(told.data);
    if (input.has('json')) printJson({ ...told, dataBytes, ...(owner && { owner }) });
    else show(told, dataBytes, owner);
    return 0;
  },
};

function show(told: Status, dataBytes: number, owner: FirstOwner | undefined): void {
  const services = Object.entries(told.services).map(([name, url]): [string, string] => [`  ${name}`, url]);
  const moved = told.lab.offsetMs > 0 ? `, ${duration(told.lab.offsetMs / 1000)} ahead of the machine's` : '';
  const rows: [string, string][] = [
    ['Up', `${duration(told.uptimeS)}, since ${told.startedAt}, pid ${told.pid}`],
    ['Gateway', told.gateway],
    ['HTTPS', told.https],
    ['Proxy', told.proxy],
    ['Services', ''],
    ...services,
    ['Contracts', `${told.contracts ?? 'unknown (the state does not answer)'}, the first is ${told.contract}`],
    ...(owner ? [['Owner', ownerLine(owner)] as [string, string]] : []),
    ['Operations', `${told.operationsRunning} running`],
    ['Connections', `${told.connectionsOpen} open`],
    ['Memory', size(told.residentBytes)],
    ['Data', `${told.data}, ${size(dataBytes)}`],
    ['State', stateLine(told)],
    ...told.nodes.map(nodeLine),
    ...told.leases.map((lease) => leaseLine(lease, told.nodes)),
    ['Clock', `${told.lab.now}${moved}${told.lab.on ? '' : ' (the lab is off)'}`],
    ...(told.lab.faults === 0 ? [] : [['Faults', `${told.lab.faults} planted by the lab`] as [string, string]]),
    ...(told.log === undefined ? [] : [['Log', told.log] as [string, string]]),
  ];
  print(`${green('●')} ${bold(`Cumulet ${told.version}`)}\n\n${columns(rows)}`);
}

interface FirstOwner {
  email: string;
  passwordFile?: string; // absent: CUMULET_OWNER_PASSWORD chose it at the first start
}

// From the file that the first start wrote; the password itself is not shown.
function firstOwnerIn(data: string): FirstOwner | undefined {
  const file = join(data, 'owner.json');
  try {
    const { email, password } = JSON.parse(readFileSync(file, 'utf8')) as { email: string; password?: string };
    return { email, ...(password !== undefined && { passwordFile: file }) };
  } catch {
    return undefined; // removed, or another node's
  }
}

const ownerLine = ({ email, passwordFile }: FirstOwner): string =>
  passwordFile === undefined
    ? `${email}, with the password that CUMULET_OWNER_PASSWORD had at the first start`
    : `${email}, whose first password is in ${passwordFile}`;

function stateLine({ state }: Status): string {
  const { fileBytes, logBytes = 0, commits = 0, connected, reconnects = 0, damaged } = state;
  const since = `${commits} commits since the start`;
  if (damaged) return 'damaged: some of it can not be read, and nothing is changed any more. Restore a copy';
  if (fileBytes !== undefined) return `${size(fileBytes)} and ${size(logBytes)} of log, ${since}`;
  const link = connected === 1 ? 'connected' : 'not connected';
  return `PostgreSQL, ${link}${reconnects > 0 ? ` (${reconnects} times again)` : ''}, ${since}`;
}

const nodeLine = ({ about, self, alive, lagMs, operations }: Status['nodes'][number]): [string, string] => [
  '  node',
  `${about}${self ? ', this one' : alive ? '' : ', gone'}; heard of ${(lagMs / 1000).toFixed(1)} s ago, ${operations} operations`,
];

const leaseLine = ({ name, holder, leftMs }: Status['leases'][number], nodes: Status['nodes']): [string, string] => [
  '  lease',
  `${name}: ${nodes.find(({ id }) => id === holder)?.about ?? holder}, ${(leftMs / 1000).toFixed(1)} s left`,
];

function bytesBelow(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += bytesBelow(path);
    else bytes += lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}
