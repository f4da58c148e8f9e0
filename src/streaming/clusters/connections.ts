// The rules for a cluster's `connections`: one entry with three addresses of one subnet.
import { BlockList, isIPv4 } from 'node:net';
import { isUuid } from '../../base/ids.ts';
import { isObject, type Json } from '../../base/json.ts';
import type { Draft, Report } from '../../core/resource.ts';

const reserved = new BlockList();
reserved.addSubnet('10.224.0.0', 11);

export function connectionRules({ values }: Draft, report: Report): void {
  const { connections } = values;
  if (!Array.isArray(connections)) return;
  if (connections.length !== 1) report('connections', 'Expected exactly one connection');
  const [connection] = connections;
  if (!isObject(connection)) return;
  const at = 'connections.[0]';
  const { datacenterId, lanId, brokerAddresses } = connection;
  if (typeof datacenterId === 'string' && !isUuid(datacenterId)) report(`${at}.datacenterId`, 'Expected a UUID');
  if (typeof lanId === 'string' && !/^[1-9]\d*$/.test(lanId)) report(`${at}.lanId`, 'Expected the number of a LAN');
  if (Array.isArray(brokerAddresses)) addressRules(brokerAddresses, `${at}.brokerAddresses`, report);
}

function addressRules(addresses: readonly Json[], at: string, report: Report): void {
  if (addresses.length !== 3) report(at, 'Expected three addresses, one for each broker');
  const parsed = addresses.map((address) => (typeof address === 'string' ? parse(address) : undefined));
  for (const [index, one] of parsed.entries()) {
    if (!one) report(`${at}.[${index}]`, 'Expected an IPv4 address with its prefix, such as 192.168.1.101/24');
    else if (reserved.check(one.ip)) report(`${at}.[${index}]`, '10.224.0.0/11 is reserved and cannot be used');
  }
  if (addresses.length !== 3 || parsed.some((one) => one === undefined)) return;
  if (new Set(parsed.map((one) => one?.ip)).size < 3) report(at, 'The addresses must differ');
  if (new Set(parsed.map((one) => one?.subnet)).size > 1) report(at, 'The addresses must be in one subnet');
}

function parse(text: string): { ip: string; subnet: string } | undefined {
  const [, ip = '', bits = ''] = /^([\d.]+)\/(\d{1,2})$/.exec(text) ?? [];
  const prefix = Number(bits);
  if (!isIPv4(ip) || prefix < 1 || prefix > 32) return undefined;
  const whole = ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return { ip, subnet: `${Math.floor(whole / 2 ** (32 - prefix))}/${prefix}` };
}
