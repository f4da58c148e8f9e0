// The settings of the example.
import { assign, type Section } from '../../config/section.ts';
import { portOf } from '../../config/setting-values.ts';

export interface EchoSettings {
  port: number | undefined;
}

export const echoSettings: Section<EchoSettings> = {
  defaults: { port: undefined },
  options: {
    'echo-port': {
      takes: 'PORT',
      help: 'of the echo service (7099)',
      set: (values, text) => assign(values, { port: portOf('echo-port', text) }),
    },
  },
};
