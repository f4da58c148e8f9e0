// The settings of the name server.
import { isIP } from 'node:net';
import { assign, type Section } from '../config/section.ts';
import { portOf, wrong } from '../config/setting-values.ts';

export interface DnsSettings {
  port: number | undefined;
  peers: string[]; // name servers that may transfer zones
}

export const dnsSettings: Section<DnsSettings> = {
  defaults: { port: undefined, peers: [] },
  options: {
    'dns-port': {
      takes: 'PORT',
      help: 'the port of the name server, for UDP and TCP (7053)',
      set: (values, text) => assign(values, { port: portOf('dns-port', text) }),
    },
    'dns-peers': {
      takes: 'ADDRESSES',
      help: 'name servers that may transfer zones and are notified of changes, separated by commas; add # and the port if it is not 53',
      set: (values, text) => {
        const peers = text.split(',').map((one) => one.trim());
        const isPeer = (one: string): boolean => /^[^#]+(#\d{1,5})?$/.test(one) && isIP(one.replace(/#.*/, '')) > 0;
        if (!peers.every(isPeer)) throw wrong('dns-peers', 'addresses, separated by commas', text);
        values.peers = peers;
      },
    },
  },
};
