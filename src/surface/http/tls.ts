// Certificates by the name that a client asks for: the first handshake for a suffix makes its certificate, later ones
// find it. Foreign names get the default certificate, which doesn't fit, so that the client refuses it.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext, type SecureContext, type Server } from 'node:tls';
import { type CertificatePair, issueCertificate } from '../../base/certificate.ts';
import { tlsPolicy } from '../../base/tls-policy.ts';
import type { CertificateHosts, HostNames } from './host-names.ts';

export interface TlsContextsOptions {
  authority: CertificatePair;
  now: () => number; // real time
  names: HostNames;
  assigned?(host: string): Promise<SecureContext | undefined>; // presented instead of the region's own certificate
  hosts?: string[]; // what else this machine is called, for the default certificate: its --domain, its --public-url
  keep: {
    load(suffix: string): Promise<CertificatePair | undefined>;
    save(suffix: string, pair: CertificatePair): Promise<void>;
  };
}

export interface TlsContexts {
  // For https.createServer.
  options: typeof tlsPolicy & { SNICallback: SniCallback; ALPNProtocols: string[]; handshakeTimeout: number };
  // Gives the server its default certificate, for clients that name no host: Node calls no SNICallback for them.
  attach(server: Server): void;
  contextFor(host: string): Promise<SecureContext>;
}

type SniCallback = (host: string, done: (error: Error | null, context?: SecureContext) => void) => void;

interface Entry {
  pair: CertificatePair;
  context(): SecureContext; // built at the first handshake: the first one of a process costs 10 ms
  renewAt: number;
}

interface Slot {
  entry: Promise<Entry>;
  renewAt: number;
}

const validDays = 365;
const renewalMs = 30 * 86_400_000;
// Anyone may ask for any number of bucket names. Beyond this many, certificates are made but not kept.
const mostKept = 256;

export async function createTlsContexts(options: TlsContextsOptions): Promise<TlsContexts> {
  const { authority, now, keep } = options;
  const defaultHosts = { suffix: 'localhost', names: namesOfMachine(options.hosts ?? []) };
  const slots = new Map<string, Slot>();
  let saved = 0;
  let isRenewing = false;

  async function loadOrMake({ suffix, names }: CertificateHosts): Promise<Entry> {
    const kept = await keep.load(suffix);
    const entry = kept && fits(kept, authority, names) ? entryOf(kept) : undefined;
    if (entry && entry.renewAt > now()) return entry;
    const commonName = suffix.slice(0, 64);
    const pair = await issueCertificate(authority, { commonName, hosts: names, days: validDays, now });
    if (suffix === defaultHosts.suffix || saved++ < mostKept) await keep.save(suffix, pair);
    return entryOf(pair);
  }

  let defaultEntry = await loadOrMake(defaultHosts);

  // The old one serves on while it is renewed; after a failure the next connection tries again.
  function currentDefault(): Entry {
    if (defaultEntry.renewAt <= now() && !isRenewing) {
      isRenewing = true;
      loadOrMake(defaultHosts)
        .then((entry) => {
          defaultEntry = entry;
        })
        .catch(() => {})
        .finally(() => {
          isRenewing = false;
        });
    }
    return defaultEntry;
  }

  function slotFor(wanted: CertificateHosts): Slot {
    const found = slots.get(wanted.suffix);
    const slot = found && found.renewAt > now() ? found : newSlot(loadOrMake(wanted));
    // Moved to the end: the first of the map is the least recently used.
    slots.delete(wanted.suffix);
    slots.set(wanted.suffix, slot);
    if (slots.size > mostKept) slots.delete(slots.keys().next().value ?? '');
    return slot;
  }

  async function contextFor(host: string): Promise<SecureContext> {
    const assigned = await options.assigned?.(host);
    if (assigned) return assigned;
    const wanted = options.names.certificateFor(host);
    return wanted ? (await slotFor(wanted).entry).context() : currentDefault().context();
  }

  const SNICallback: SniCallback = (host, done) => {
    contextFor(host).then((context) => done(null, context), done);
  };

  return {
    options: { ...tlsPolicy, SNICallback, ALPNProtocols: ['http/1.1'], handshakeTimeout: 30_000 },
    attach(server) {
      let installed: Entry | undefined;
      server.prependListener('connection', () => {
        const entry = currentDefault();
        if (entry === installed) return;
        installed = entry;
        server.setSecureContext({ cert: entry.pair.certificate, key: entry.pair.key, ...tlsPolicy });
      });
    },
    contextFor,
  };
}

// Handshakes that come while a certificate is made wait for that one; after a failure the next one tries again.
function newSlot(entry: Promise<Entry>): Slot {
  const slot: Slot = { entry, renewAt: Number.POSITIVE_INFINITY };
  entry.then(
    (made) => {
      slot.renewAt = made.renewAt;
    },
    () => {
      slot.renewAt = 0;
    },
  );
  return slot;
}

function entryOf(pair: CertificatePair): Entry {
  const { validToDate } = new X509Certificate(pair.certificate);
  let context: SecureContext | undefined;
  return {
    pair,
    context: () => (context ??= createSecureContext({ cert: pair.certificate, key: pair.key, ...tlsPolicy })),
    renewAt: validToDate.getTime() - renewalMs,
  };
}

// A kept certificate may be of another authority, or for the names of an earlier version or start.
function fits(pair: CertificatePair, authority: CertificatePair, names: string[]): boolean {
  try {
    const leaf = new X509Certificate(pair.certificate);
    const { publicKey } = new X509Certificate(authority.certificate);
    const covered = new Set(leaf.subjectAltName?.split(', '));
    return (
      leaf.verify(publicKey) &&
      leaf.checkPrivateKey(createPrivateKey(pair.key)) &&
      names.every((name) => (isIP(name) ? leaf.checkIP(name) : covered.has(`DNS:${name}`)))
    );
  } catch {
    return false;
  }
}

function namesOfMachine(hosts: string[]): string[] {
  const named = hosts.flatMap((host) => (isIP(host) ? [host] : [host, `*.${host}`]));
  return [...new Set(['localhost', '127.0.0.1', '::1', ...named])];
}
