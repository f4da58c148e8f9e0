// `ca`: the region's certificate authority. It is read from the data folder, so no region has to run.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { Fault } from '../../base/fault.ts';
import { type Command, dataOption } from '../../command/command.ts';
import { print } from '../../command/terminal.ts';
import { environment } from '../../config/environment.ts';
import { authorityFile, writePublic } from '../../region-data/data-folder.ts';
import { original } from '../env/saved-variables.ts';

const bundleFile = (data: string): string => join(data, 'ca-bundle.pem');

export const ca: Command = {
  name: 'ca',
  about:
    'Prints the certificate (PEM) of the authority that signs all TLS certificates of this region. With --bundle, ' +
    "the path of a file with it and the system's own roots, for clients that take one file only.",
  options: [{ name: 'bundle', help: 'write the bundle and print its path' }, dataOption],
  examples: [
    ['curl --cacert "$(cumulet ca --bundle)" https://127.0.0.1:7443/health', 'one call over HTTPS'],
    ['cumulet ca | openssl x509 -noout -text', 'its content'],
  ],
  async run(input) {
    if (input.has('bundle')) print(writeBundle(input.data));
    else process.stdout.write(authority(input.data));
    return 0;
  },
};

// Writes the system's root certificates and ours to one file and returns its path.
export function writeBundle(data: string): string {
  const own = authority(data);
  const file = bundleFile(data);
  writePublic(file, `${systemRoots(file).trimEnd()}\n${own}`);
  return file;
}

function authority(data: string): string {
  try {
    return readFileSync(authorityFile(data), 'utf8');
  } catch (error) {
    throw new Fault('missing', `${data} has no certificate authority yet: the first start of a region creates it.`, {
      cause: error,
    });
  }
}

const usual = [
  '/etc/ssl/certs/ca-certificates.crt', // Debian, Ubuntu, Alpine, Arch
  '/etc/pki/tls/certs/ca-bundle.crt', // Fedora, RHEL
  '/etc/ssl/ca-bundle.pem', // SUSE
  '/etc/ssl/cert.pem',
];

// Includes the certificates that the user has added for Node.
function systemRoots(own: string): string {
  const { SSL_CERT_FILE = '', NODE_EXTRA_CA_CERTS = '' } = original(environment.variables());
  const [added = ''] = certificatesIn(foreign(NODE_EXTRA_CA_CERTS, own));
  const [chosen = rootCertificates.join('\n')] = certificatesIn([...foreign(SSL_CERT_FILE, own), ...usual]);
  return `${chosen.trimEnd()}\n${added}`;
}

// The variables may already name a bundle of ours, which contains no other system roots.
const foreign = (file: string, own: string): string[] => (file === '' || file === own || isOurs(file) ? [] : [file]);

const certificatesIn = (files: readonly string[]): string[] =>
  files.flatMap((file) => {
    const text = read(file);
    return text?.includes('-----BEGIN CERTIFICATE-----') ? [text] : [];
  });

const isOurs = (file: string): boolean =>
  basename(file) === 'ca-bundle.pem' && read(join(file, '../ca.pem')) !== undefined;

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
