// Explains why a handshake failed. OpenSSL's own text names its source files; for an untrusted certificate Node reports
// only that the socket was closed, so the reason is read from the socket.
import type { TLSSocket } from 'node:tls';

const ofAnother = 'its certificate was not issued for this cluster';

const verdicts: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  INVALID_PURPOSE: 'its certificate is not a client certificate',
};

const failures: Readonly<Record<string, string>> = {
  ECONNRESET: 'it disconnected during the handshake',
  ERR_SSL_HTTP_REQUEST: 'it sent plain HTTP; brokers use the Kafka protocol over TLS',
  ERR_SSL_NO_SHARED_CIPHER: 'it offered no cipher that brokers support',
  ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE: 'it sent no certificate',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'it does not support TLS 1.2 or later',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it did not use TLS; Kafka clients need security.protocol=SSL',
  ERR_TLS_HANDSHAKE_TIMEOUT: 'it did not finish the handshake in time',
};

export function refusalOf(error: NodeJS.ErrnoException, { authorizationError }: TLSSocket): string {
  const verdict = authorizationError as unknown as string | null; // typed as Error, but it holds an error code
  if (verdict) return verdicts[verdict] ?? ofAnother;
  const { code = '' } = error;
  if (/_ALERT_(UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN|CERTIFICATE_EXPIRED)/.test(code))
    return 'it does not trust the brokers; it needs the CA of this cluster';
  return failures[code] ?? `the handshake failed (${code})`;
}
