// The programs that people query name servers with, from Debian's packages.
import { debian } from '../debian.ts';
import type { Absent, Found } from '../install.ts';

// The libraries that they are linked with, which a small machine may lack.
const libraries = (
  'bind9-libs libuv1 libjson-c5 liblmdb0 libmaxminddb0 libnghttp2-14 libxml2 libicu72 libidn2-0 libunistring2 libfstrm0 ' +
  'libprotobuf-c1 libgssapi-krb5-2 libkrb5-3 libk5crypto3 libkrb5support0 libkeyutils1 libjemalloc2 libedit2 libbsd0 libmd0'
).split(' ');

export const dig = (): Promise<Found | Absent> => debian('CUMULET_DIG', 'bind9-dnsutils', 'dig', libraries);
export const delv = (): Promise<Found | Absent> => debian('CUMULET_DELV', 'bind9-dnsutils', 'delv', libraries);
export const checkZone = (): Promise<Found | Absent> =>
  debian('CUMULET_NAMED_CHECKZONE', 'bind9-utils', 'named-checkzone', libraries);
export const dnssecVerify = (): Promise<Found | Absent> =>
  debian('CUMULET_DNSSEC_VERIFY', 'bind9-utils', 'dnssec-verify', libraries);
export const named = (): Promise<Found | Absent> => debian('CUMULET_NAMED', 'bind9', 'named', libraries);

const knotLibraries = [
  ...'libknot13 libdnssec9 libzscanner4 liburcu8 libcap-ng0 libedit2 libbsd0 libmd0 libgnutls30 liblmdb0 libsystemd0'.split(
    ' ',
  ),
  ...'libbpf1 libxdp1 libelf1 libnghttp2-14 libidn2-0 libunistring2 libfstrm0 libprotobuf-c1 libmaxminddb0'.split(' '),
];
export const kdig = (): Promise<Found | Absent> => debian('CUMULET_KDIG', 'knot-dnsutils', 'kdig', knotLibraries);
export const knot = (): Promise<Found | Absent> => debian('CUMULET_KNOT', 'knot', 'knotd', knotLibraries);
export const dnsperf = (): Promise<Found | Absent> =>
  debian('CUMULET_DNSPERF', 'dnsperf', 'dnsperf', ['libldns3', 'libnghttp2-14']);
export const ldnsVerifyZone = (): Promise<Found | Absent> =>
  debian('CUMULET_LDNS_VERIFY_ZONE', 'ldnsutils', 'ldns-verify-zone', ['libldns3', 'libpcap0.8', 'libdbus-1-3']);
