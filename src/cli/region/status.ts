// `status`
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, dataOption, jsonOption } from '../../command/command.ts';
import { bold, columns, duration, green, print, printJson, size } from '../../command/terminal.ts';
import { askRegion, type Status } from '../admin/operations.ts';

export const status: Command = {
  name: 'status',
  about: 'Shows the addresses, uptime and size of the region. Exits with 2 if no region runs on the data folder.',
  options: [dataOption, jsonOption],
  examples: [
    ['cumulet status', 'for people'],
    ['cumulet status --json | jq -r .gateway', 'for scripts'],
  ],
  async run(input) {
    const status = await askRegion(input.data, 'status', {});
    const dataBytes = bytesBelow(input.data);
    const owner = firstOwnerIn(status.data);
    if (input.has('json')) printJson({ ...status, dataBytes, ...(owner && { owner }) });
    else show(status, dataBytes, owner);
    return 0;
  },
};

function show(status: Status, dataBytes: number, owner: FirstOwner | undefined): void {
  const services = Object.entries(status.services).map(([name, url]): [string, string] => [`  ${name}`, url]);
  const moved = status.lab.offsetMs > 0 ? `, ${duration(status.lab.offsetMs / 1000)} ahead of the machine's` : '';
  const rows: [string, string][] = [
    ['Up', `${duration(status.uptimeS)}, since ${status.startedAt}, pid ${status.pid}`],
    ['Gateway', status.gateway],
    ['HTTPS', status.https],
    ['Proxy', status.proxy],
    ['Services', ''],
    ...services,
    ['Contracts', `${status.contracts ?? 'unknown (the state does not answer)'}, the first is ${status.contract}`],
    ...(owner ? [['Owner', ownerLine(owner)] as [string, string]] : []),
    ['Machines', status.machines.engine],
    ...status.machines.abilities.map(([what, value]): [string, string] => [`  ${what}`, value]),
    ['Operations', `${status.operationsRunning} running`],
    ['Connections', `${status.connectionsOpen} open`],
    ['Memory', size(status.residentBytes)],
    ['Data', `${status.data}, ${size(dataBytes)}`],
    ['State', stateLine(status)],
    ...status.nodes.map(nodeLine),
    ...status.leases.map((lease) => leaseLine(lease, status.nodes)),
    ['Clock', `${status.lab.now}${moved}${status.lab.on ? '' : ' (the lab is off)'}`],
    ...(status.lab.faults === 0 ? [] : [['Faults', `${status.lab.faults} planted by the lab`] as [string, string]]),
    ...(status.log === undefined ? [] : [['Log', status.log] as [string, string]]),
  ];
  print(`${green('●')} ${bold(`Cumulet ${status.version}`)}\n\n${columns(rows)}`);
}

interface FirstOwner {
  email: string;
  passwordFile?: string; // absent: CUMULET_OWNER_PASSWORD chose it at the first start
}

// Read from the file that the first start wrote; the password itself is not shown.
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
  if (damaged) return "damaged: some of it can't be read, and all changes are refused. Restore a backup";
  if (fileBytes !== undefined) return `${size(fileBytes)} and ${size(logBytes)} of log, ${since}`;
  const link = connected === 1 ? 'connected' : 'not connected';
  return `PostgreSQL, ${link}${reconnects > 0 ? ` (reconnected ${reconnects} times)` : ''}, ${since}`;
}

const nodeLine = ({ about, self, alive, lagMs, operations }: Status['nodes'][number]): [string, string] => [
  '  node',
  `${about}${self ? ', this one' : alive ? '' : ', gone'}; last heartbeat ${(lagMs / 1000).toFixed(1)} s ago, ${operations} operations`,
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
