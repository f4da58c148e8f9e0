// A spec as the rows that describe it: those that the API would have written for it, in a store of a test.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Values } from '../../base/json.ts';
import { linkWrites } from '../../core/operation/reservations.ts';
import { type Row, rowOf, type Write } from '../../core/state/engine.ts';
import { openSqlite } from '../../core/state/sqlite/engine.ts';
import { Store } from '../../core/store.ts';
import type { DatacenterSpec, FirewallRule } from './spec.ts';

export async function storeFor(t: TestContext): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'network-rows-'));
  const engine = await openSqlite({ folder, now: () => 0, checkpoint: false });
  t.after(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return new Store(engine);
}

type Link = [role: string, to: string];

// All rows of a datacenter, and the target groups that it names.
export function rowsOf(spec: DatacenterSpec, contract = 1): Row[] {
  const rows: Row[] = [];
  const top = `datacenters/${spec.id}`;
  const add = (kind: string, place: string, id: string, values: object, links: Link[] = []): string => {
    const hidden = links.length > 0 ? JSON.stringify({ holds: { claims: [], counts: {}, links } }) : '';
    rows.push(rowOf({ contract, place, id, kind, state: 'AVAILABLE', body: JSON.stringify(values), hidden }));
    return `${place}/${id}`;
  };
  const addRules = (kind: string, place: string, rules: readonly { id: string }[]): void => {
    for (const { id, ...values } of rules) add(kind, place, id, { name: `name of ${id}`, ...values });
  };
  const groups = (ids: readonly string[]): Link[] =>
    [...new Set(ids)].map((id) => ['securitygroup', `${top}/securitygroups/${id}`]);

  add('datacenter', 'datacenters', spec.id, { name: 'a datacenter', location: 'de/txl' });
  for (const { id, ...lan } of spec.lans) {
    const links: Link[] = lan.pcc === null ? [] : [['pcc', `pccs/${lan.pcc}`]];
    add('lan', `${top}/lans`, lanId(id), { name: null, ...lan }, links);
  }
  for (const { id, securityGroups, ...server } of spec.servers)
    add('server', `${top}/servers`, id, { name: 'a server', cores: 1, ...server }, groups(securityGroups));
  for (const { id, server, firewallRules, securityGroups, ...nic } of spec.nics) {
    const balancers = spec.loadBalancers.filter(({ balancedNics }) => balancedNics.includes(id));
    const links: Link[] = [
      ['lan', `${top}/lans/${lanId(nic.lan)}`],
      ...groups(securityGroups),
      ...balancers.map((one): Link => ['balancedby', `${top}/loadbalancers/${one.id}`]),
    ];
    const path = add('nic', `${top}/servers/${server}/nics`, id, { name: null, dhcp: true, ...nic }, links);
    addRules('firewallrule', `${path}/firewallrules`, firewallRules satisfies readonly FirewallRule[]);
  }
  for (const { id, rules } of spec.securityGroups)
    addRules(
      'securitygrouprule',
      `${add('securitygroup', `${top}/securitygroups`, id, { name: 'a group' })}/rules`,
      rules,
    );
  for (const { id, rules, ...gateway } of spec.natGateways)
    addRules(
      'natgatewayrule',
      `${add('natgateway', `${top}/natgateways`, id, { name: 'out', ...gateway })}/rules`,
      rules,
    );
  for (const kind of ['network', 'application'] as const)
    for (const { id, forwardingRules, ...balancer } of spec[`${kind}LoadBalancers`]) {
      const path = add(`${kind}loadbalancer`, `${top}/${kind}loadbalancers`, id, { name: 'balancer', ...balancer });
      addRules(`${kind}forwardingrule`, `${path}/forwardingrules`, forwardingRules);
    }
  for (const { id, ip } of spec.loadBalancers)
    add('loadbalancer', `${top}/loadbalancers`, id, { name: null, ip, dhcp: true });
  for (const { id, ...group } of spec.targetGroups)
    add('targetgroup', 'targetgroups', id, { name: 'targets', protocol: 'HTTP', ...group });
  return rows;
}

const lanId = (id: number): string => String(id).padStart(10, '0');

// With the links and claims that make it findable.
export async function writeRows(store: Store, rows: readonly Row[]): Promise<void> {
  await store.must(rows.flatMap((row) => [{ op: 'insert' as const, table: 'resource' as const, row }, ...around(row)]));
}

function around({ contract, place, id, body, hidden }: Row): Write[] {
  const path = `${place}/${id}`;
  const links = hidden ? (JSON.parse(hidden) as { holds: { links: Link[] } }).holds.links : [];
  const { ips = [], publicIps = [], mac } = JSON.parse(body) as { ips?: string[]; publicIps?: string[]; mac?: string };
  const claims = [...ips, ...publicIps]
    .filter((ip) => ip.startsWith('198.'))
    .flatMap((ip) => ['used', 'ip'].map((scope) => [scope, ip]));
  if (mac !== undefined) claims.push(['mac', mac]);
  return [
    ...links.flatMap((link) => linkWrites(contract, path, link, 'insert')),
    ...claims.map(([scope = '', key = '']): Write => {
      const claim = { contract: 0, place: scope, id: key, body: JSON.stringify({ contract, path } satisfies Values) };
      return { op: 'insert', table: 'claim', row: rowOf(claim) };
    }),
  ];
}
