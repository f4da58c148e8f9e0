// The log stores for comparisons, and Loki's command line: built from Go modules into the user's cache
// folder, once for all suites; and agents from Debian's packages.
import { debian } from '../debian.ts';
import { ofModule } from '../go-module.ts';
import type { Absent, Found } from '../install.ts';

const lokiModule = 'github.com/grafana/loki/v3@v3.7.8';
const victoriaModule = 'github.com/VictoriaMetrics/VictoriaMetrics@v1.121.0'; // the last with VictoriaLogs in it

export const loki = (): Promise<Found | Absent> => ofModule('CUMULET_LOKI', lokiModule, 'loki', './cmd/loki');
export const logcli = (): Promise<Found | Absent> => ofModule('CUMULET_LOGCLI', lokiModule, 'logcli', './cmd/logcli');
export const victoriaLogs = (): Promise<Found | Absent> =>
  ofModule('CUMULET_VICTORIA_LOGS', victoriaModule, 'victoria-logs', './app/victoria-logs');

// With the libraries that some machines do not have.
const syslogNgLibraries = ['syslog-ng-mod-http', 'libivykis0', 'libnet1', 'libpcre3', 'libjson-c5', 'libwrap0'];
export const syslogNg = (): Promise<Found | Absent> =>
  debian('CUMULET_SYSLOG_NG', 'syslog-ng-core', 'syslog-ng', syslogNgLibraries);
