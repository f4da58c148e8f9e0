// Certificates at the moment they are needed: the first handshake for a suffix makes its certificate, later ones
// find it. Names of others get the default certificate, which then doesn't fit: the client itself refuses it.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext, type SecureContext, type Server } from 'node:tls';
import { type CertificatePair, issueCertificate } from '../../base/certificate.ts';
import { type CertificateHosts, certificateHosts } from './host-names.ts';

export interface TlsContextsOptions {
  authority: CertificatePair;
  now: () => number; // real time
  domains: string[];
  hosts?: string[]; // what else this machine is called, for the default certificate: its --domain, its --public-url
  keep: {
    load(suffix: string): Promise<CertificatePair | undefined>;
    save(suffix: string, pair: CertificatePair): Promise<void>;
  };
}

export interface TlsContexts {
  // For https.createServer.
  options: { SNICallback: SniCallback; ALPNProtocols: string[]; minVersion: 'TLSv1.2'; handshakeTimeout: number };
  // Node asks for no context where the client names no host; the server's own one must be there by then.
  attach(server: Server): void;
  contextFor(host: string): Promise<SecureContext>;
}

type SniCallback = (host: string, done: (error: Error | null, context?: SecureContext) => void) => void;

interface Entry {
  pair: CertificatePair;
  context: SecureContext;
  renewAt: number;
}

interface Slot {
  entry: Promise<Entry>;
  renewAt: number;
}

const validDays = 365;
const renewalMs = 30 * 86_400_000;
// Anyone may ask for any number of bucket names. Beyond this many, certificates are made and forgotten.
const mostKept = 256;
const minVersion = 'TLSv1.2';

export function createTlsContexts(options: TlsContextsOptions): TlsContexts {
  const { authority, now, keep } = options;
  const hostsOf = certificateHosts(options.domains);
  const ownNames = namesOfMachine(options.hosts ?? []);
  const slots = new Map<string, Slot>();
  let saved = 0;
  let own: Entry | undefined;

  const make = (commonName: string, hosts: string[]): CertificatePair =>
    issueCertificate(authority, { commonName: commonName.slice(0, 64), hosts, days: validDays, now });

  // Not kept: the client trusts the authority, and a new certificate costs a millisecond.
  function ownEntry(): Entry {
    if (!own || own.renewAt <= now()) own = entryOf(make('localhost', ownNames));
    return own;
  }

  async function loadOrMake({ suffix, names }: CertificateHosts): Promise<Entry> {
    const kept = await keep.load(suffix);
    const entry = kept && fits(kept, authority, names) ? entryOf(kept) : undefined;
    if (entry && entry.renewAt > now()) return entry;
    const pair = make(suffix, names);
    if (saved++ < mostKept) await keep.save(suffix, pair);
    return entryOf(pair);
  }

  function slotFor(wanted: CertificateHosts): Slot {
    const found = slots.get(wanted.suffix);
    const slot = found && found.renewAt > now() ? found : newSlot(loadOrMake(wanted));
    // Taken out and put back: the first of the map is the one not asked for the longest.
    slots.delete(wanted.suffix);
    slots.set(wanted.suffix, slot);
    if (slots.size > mostKept) slots.delete(slots.keys().next().value ?? '');
    return slot;
  }

  async function contextFor(host: string): Promise<SecureContext> {
    const wanted = hostsOf(host);
    return wanted ? (await slotFor(wanted).entry).context : ownEntry().context;
  }

  const SNICallback: SniCallback = (host, done) => {
    contextFor(host).then((context) => done(null, context), done);
  };

  return {
    options: { SNICallback, ALPNProtocols: ['http/1.1'], minVersion, handshakeTimeout: 30_000 },
    attach(server) {
      let installed: Entry | undefined;
      server.prependListener('connection', () => {
        const entry = ownEntry();
        if (entry === installed) return;
        installed = entry;
        server.setSecureContext({ cert: entry.pair.certificate, key: entry.pair.key, minVersion });
      });
    },
    contextFor,
  };
}

// Handshakes that come while a certificate is in the making wait for that one; after a failure the next one tries
// again.
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
  const context = createSecureContext({ cert: pair.certificate, key: pair.key, minVersion });
  return { pair, context, renewAt: validToDate.getTime() - renewalMs };
}

// What was kept may be of an authority that is gone, or for names as they were in an earlier version.
function fits(pair: CertificatePair, authority: CertificatePair, names: string[]): boolean {
  try {
    const leaf = new X509Certificate(pair.certificate);
    const { publicKey } = new X509Certificate(authority.certificate);
    const covered = new Set(leaf.subjectAltName?.split(', '));
    return (
      leaf.verify(publicKey) &&
      leaf.checkPrivateKey(createPrivateKey(pair.key)) &&
      names.every((name) => covered.has(`DNS:${name}`))
    );
  } catch {
    return false;
  }
}

function namesOfMachine(hosts: string[]): string[] {
  const named = hosts.flatMap((host) => (isIP(host) ? [host] : [host, `*.${host}`]));
  return [...new Set(['localhost', '127.0.0.1', '::1', ...named])];
}
