// The list of outside brokers. Each line is one cluster: kafka://HOST:PORT,HOST:PORT?ca=FILE&ca-key=FILE. The address
// kafka+list:FILE names the list; a kafka:// address is a list of one line. Each line has its own authority, so that a
// certificate of one cluster is refused by the brokers of all others.
import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { CertificatePair } from '../../../../base/certificate.ts';
import { Fault } from '../../../../base/fault.ts';
import type { Log } from '../../../../base/log.ts';
import type { BrokerSet } from '../../engine.ts';
import type { BrokerAddress } from '../client/connection.ts';

const listScheme = 'kafka+list:';

export class BrokerList {
  readonly #address: string;
  readonly #log: Log;
  #sets: BrokerSet[];
  #trouble = ''; // of the last reading

  constructor(address: string, log: Log) {
    this.#address = address;
    this.#log = log;
    this.#sets = readList(address);
  }

  // Reads the list again. If it has become invalid, the last valid one counts.
  read(): BrokerSet[] {
    try {
      this.#sets = readList(this.#address);
      this.#trouble = '';
    } catch (error) {
      const { message } = error as Error;
      if (message !== this.#trouble)
        this.#log.error('the list of brokers is invalid, so the last valid one is used', { error });
      this.#trouble = message;
    }
    return this.#sets;
  }

  // The set whose authority has issued the certificates of a cluster.
  find(authority: string): BrokerSet | undefined {
    const id = idOf(authority);
    return this.read().find((set) => set.id === id);
  }
}

export function readList(address: string): BrokerSet[] {
  if (!address.startsWith(listScheme)) return [setAt(address, '--streaming', '.')];
  const file = resolve(address.slice(listScheme.length));
  const lines = read(file, file)
    .split('\n')
    .map((line, index) => ({ text: line.trim(), where: `${file} line ${index + 1}` }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'));
  if (lines.length === 0) throw new Fault('refused', `${file} lists no brokers. Add a line kafka://HOST:PORT,…?ca=…`);
  const sets = lines.map(({ text, where }) => setAt(text, where, dirname(file)));
  demandDifferent(sets);
  return sets;
}

// Two clusters with the same authority would accept each other's users.
function demandDifferent(sets: readonly BrokerSet[]): void {
  const brokers = new Map<string, BrokerSet>();
  const authorities = new Map<string, BrokerSet>();
  for (const set of sets) {
    for (const { host, port } of set.addresses) {
      const other = brokers.get(`${host}:${port}`);
      if (other)
        throw new Fault(
          'refused',
          `${set.where}: ${host}:${port} is listed a second time; the first is ${other.where}`,
        );
      brokers.set(`${host}:${port}`, set);
    }
    const other = authorities.get(set.id);
    if (other)
      throw new Fault(
        'refused',
        `${set.where}: its CA has the same key as that of ${other.where}. Each cluster needs its own CA, because ` +
          'brokers accept every certificate of their CA.',
      );
    authorities.set(set.id, set);
  }
}

function setAt(address: string, where: string, folder: string): BrokerSet {
  const [, hosts = '', query = ''] = /^kafka:\/\/([^/?]+)\/?(?:\?(.*))?$/.exec(address) ?? [];
  const files = new URLSearchParams(query);
  const [certificate, key] = [files.get('ca'), files.get('ca-key')];
  if (hosts === '' || !certificate || !key)
    throw new Fault('refused', `${where}: expected an address like kafka://HOST:PORT,…?ca=FILE&ca-key=FILE`);
  const authority = {
    certificate: read(resolve(folder, certificate), where),
    key: read(resolve(folder, key), where),
  };
  if (!isPair(authority))
    throw new Fault('refused', `${where}: ${key} is not the key of the CA ${certificate}. Keys are EC keys in PEM.`);
  const addresses = hosts.split(',').map((one) => addressOf(one, where));
  return { id: idOf(authority.certificate), where, addresses, authority };
}

function addressOf(text: string, where: string): BrokerAddress {
  const [, host = '', port = '9093'] = /^(.+?)(?::(\d+))?$/.exec(text.trim()) ?? [];
  if (host === '' || Number(port) < 1 || Number(port) > 65_535)
    throw new Fault('refused', `${where}: '${text}' is not an address of a broker. Expected HOST:PORT.`);
  return { host: host.toLowerCase(), port: Number(port) };
}

// A renewed certificate with the same key is the same authority.
const idOf = (certificate: string): string =>
  createHash('sha256')
    .update(new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');

function isPair({ certificate, key }: CertificatePair): boolean {
  try {
    const signer = createPrivateKey(key);
    return signer.asymmetricKeyType === 'ec' && new X509Certificate(certificate).checkPrivateKey(signer);
  } catch {
    return false; // one of them is not PEM
  }
}

function read(file: string, where: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'does not exist' : `can't be read (${code})`;
    throw new Fault('refused', where === file ? `${file} ${why}` : `${where}: ${file} ${why}`, { cause });
  }
}
