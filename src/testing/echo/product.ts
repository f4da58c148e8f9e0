// The example product repeats the path of a call, with a word that another product provides.
import { regional } from '../../core/dialect.ts';
import { resource } from '../../core/resource.ts';
import { text } from '../../core/schema.ts';
import { json } from '../../surface/http/exchange.ts';
import { renderPlatformFault } from '../../surface/http/payload.ts';
import { type Ports, port } from '../../surface/ports.ts';
import type { Context, Product } from '../../surface/product.ts';
import { routesOf } from '../../surface/resource-routes.ts';
import type { EchoSettings } from './settings.ts';

export interface Words {
  say(): string;
}
export const words = port<Words>('words');

// A resource needs nothing else to be served, shown and swept.
export const note = resource({
  name: 'echonote',
  plural: 'echonotes',
  dialect: regional,
  root: 'echo/',
  rights: { create: 'none' },
  shown: { title: 'Echo note', columns: ['name'] },
  properties: { name: text({ required: true, min: 1, max: 255, example: 'example' }) },
  sample: { change: { name: 'changed' } },
});

export function openEcho(context: Context, ports: Ports, settings: EchoSettings): Product {
  const resources = context.model.add([note], undefined);
  return {
    resources,
    services: () => [
      {
        name: 'echo',
        title: 'Echo',
        description: 'Repeats its input.',
        prefixes: ['/echo'], // at the gateway; links have the first one
        hosts: ['echo.<region>'], // in front of the platform's domains
        takesBasic: false,
        routes: [
          {
            method: 'GET',
            path: '/{rest*}',
            operation: 'echo_get', // the name in the audit, the log and /metrics
            summary: 'Repeat the path',
            open: true, // without authentication
            call: (x) => json(200, { word: ports.use(words).say(), path: x.path }),
          },
          ...routesOf(context, resources),
        ],
        renderFault: (fault) => renderPlatformFault(fault),
      },
    ],
    listeners: [
      {
        name: 'echo',
        scheme: 'http',
        defaultPort: 7099,
        option: '--echo-port',
        port: settings.port,
        open: (_contexts, http) => http('echo'),
      },
    ],
  };
}
