// Parses certificates for the console, because a browser can't read X.509. Nothing is stored.
import { X509Certificate } from 'node:crypto';
import { Fault } from '../base/fault.ts';
import { isObject } from '../base/json.ts';
import { type Exchange, json, type Reply, type Route } from '../surface/http/exchange.ts';
import { factsOf } from './x509/certificate-check.ts';

const most = 20;
const block = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

export const chainRoute: Route = {
  method: 'POST',
  path: '/certificate-chain',
  operation: 'certificatechain_read',
  summary: 'Read the contents of certificates, and whether each is signed by the next one',
  takesBody: true,
  bodyLimit: 512 * 1024,
  call: readChain,
};

function readChain({ body }: Exchange): Reply {
  const pem = isObject(body) ? body.pem : undefined;
  if (typeof pem !== 'string') throw new Fault('refused', '[(root).pem] Expected a string');
  const all = distinct((pem.match(block) ?? []).slice(0, most).map(certificateOf));
  return json(200, { certificates: all.map((one, at) => shown(one, all[at + 1])) });
}

// Files with a whole chain begin with the certificate itself.
const distinct = (all: readonly X509Certificate[]): X509Certificate[] => [
  ...new Map(all.map((one) => [one.fingerprint256, one])).values(),
];

function certificateOf(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new Fault('refused', '[(root).pem] The text is not a certificate in PEM');
  }
}

function shown(one: X509Certificate, next: X509Certificate | undefined) {
  const { publicKey } = one;
  const isSelfSigned = one.checkIssued(one);
  const issuer = isSelfSigned ? one : next;
  return {
    ...factsOf(one),
    subject: lineOf(one.subject),
    issuer: lineOf(one.issuer),
    isAuthority: one.ca,
    isSelfSigned,
    // By the next one, or by itself if it is a root; null: the issuer is missing.
    isSigned: issuer ? one.checkIssued(issuer) && one.verify(issuer.publicKey) : null,
    key: [publicKey.asymmetricKeyType, keySize(publicKey.asymmetricKeyDetails)].filter(Boolean).join(' '),
    fingerprint: one.fingerprint256,
  };
}

const keySize = (details: { modulusLength?: number; namedCurve?: string } = {}): string =>
  details.namedCurve ?? (details.modulusLength === undefined ? '' : String(details.modulusLength));

// `CN=example.com\nO=Example` on one line, the most specific part first.
const lineOf = (name: string | undefined): string => (name ?? '').split('\n').toReversed().join(', ');
