// Parses a postgres:// URL. The password stays in `config`; `label` is what errors and logs may show.
import { readFileSync } from 'node:fs';
import type { ClientConfig } from 'pg';
import { Fault } from '../../../base/fault.ts';

export interface Address {
  label: string;
  schema: string;
  config: ClientConfig;
}

const known = ['schema', 'sslmode', 'sslrootcert', 'host', 'application_name'];
// As in libpq: `require` encrypts and verifies nothing, `verify-ca` verifies the issuer of the certificate,
// `verify-full` its host name too.
const plain = ['disable', 'allow', 'prefer'];
const encrypted = ['require', 'verify-ca', 'verify-full'];

export function parseAddress(text: string): Address {
  const url = URL.parse(text);
  if (!url || !/^postgres(?:ql)?:$/.test(url.protocol)) throw refused('begins with postgres://');
  const { searchParams: given } = url;
  for (const name of given.keys()) if (!known.includes(name)) throw refused(`has no option but ${known.join(', ')}`);
  const schema = given.get('schema') ?? 'cumulet';
  // PostgreSQL truncates longer names, so two of them could be the same.
  if (!/^[a-z_][a-z0-9_]{0,47}$/.test(schema)) throw refused('has a schema of small letters, digits and _, 48 at most');
  const host = given.get('host') ?? (decoded(url.hostname.replace(/^\[|\]$/g, '')) || '127.0.0.1');
  const port = Number(url.port || 5432);
  const database = decoded(url.pathname.slice(1)) || 'postgres';
  return {
    label: `postgres://${host.includes(':') ? `[${host}]` : host}:${port}/${database}?schema=${schema}`,
    schema,
    config: {
      host,
      port,
      database,
      user: decoded(url.username) || 'postgres',
      ...(url.password && { password: decoded(url.password) }),
      application_name: given.get('application_name') ?? 'cumulet',
      ssl: encryption(given.get('sslmode') ?? 'disable', given.get('sslrootcert')),
    },
  };
}

function encryption(mode: string, authority: string | null): ClientConfig['ssl'] {
  if (plain.includes(mode)) return false;
  if (!encrypted.includes(mode)) throw refused(`has an sslmode of ${[...plain, ...encrypted].join(', ')}`);
  if (mode === 'require') return { rejectUnauthorized: false };
  const ca = authority === null ? {} : { ca: certificates(authority) };
  return mode === 'verify-full' ? { ...ca } : { ...ca, checkServerIdentity: () => undefined };
}

// OpenSSL takes a file without a certificate for an empty list, which trusts no one.
function certificates(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw refused(`names a file as sslrootcert that can be read, not ${file} (${(error as { code?: string }).code})`);
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw refused(`names certificates as sslrootcert, not ${file}`);
  return text;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refused('writes a % as %25');
  }
}

// The URL itself is never quoted: it may hold a password.
const refused = (rule: string): Fault => new Fault('refused', `the address of a PostgreSQL state ${rule}`);
