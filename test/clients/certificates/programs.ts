// Let's Encrypt's ACME server for tests, built from its Go module, and OpenSSL.
import { debian } from '../debian.ts';
import { type Absent, type Found, goModule } from '../install.ts';

const pebbleModule = 'github.com/letsencrypt/pebble/v2/cmd/pebble@v2.10.1';

export const pebble = (): Promise<Found | Absent> => goModule('CUMULET_PEBBLE', pebbleModule, 'pebble');
export const openssl = (): Promise<Found | Absent> => debian('CUMULET_OPENSSL', 'openssl', 'openssl', ['libssl3']);
