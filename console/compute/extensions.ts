// What is special about resources of the core: the diagram of a datacenter; the form, the power, the
// screen and the metrics of a server.
import { lazyView } from '../lazy.tsx';
import type { Extension } from '../resources/extension.ts';
import { computeCells } from './cells.tsx';
import { powerObstacles } from './server/power.ts';

const arePublic = (): string => 'The images of the catalogue are the same for everybody.';
const imageObstacles = { image_change: arePublic, image_replace: arePublic, image_remove: arePublic };

export const computeExtensions: readonly Extension[] = [
  {
    of: 'datacenter',
    tabs: [
      {
        name: 'diagram',
        title: 'Diagram',
        first: true,
        view: lazyView(() => import('./diagram/diagram-tab.tsx').then((m) => m.DiagramTab)),
      },
    ],
  },
  {
    of: 'server',
    obstacles: powerObstacles,
    start: {
      properties: { cores: 1, ram: 2048 },
      along: [
        {
          of: 'volume',
          in: 'volumes',
          title: 'With a boot volume',
          properties: { name: 'boot', type: 'HDD', size: 10, imageAlias: 'ubuntu:latest' },
          only: ['imageAlias', 'imagePassword', 'type', 'size'],
        },
        {
          of: 'nic',
          in: 'nics',
          title: 'With a NIC',
          properties: { dhcp: true },
          only: ['dhcp'],
          needs: {
            of: 'lan',
            by: 'lan',
            title: 'A new LAN',
            properties: { public: true },
            only: ['public'],
            isBetter: ({ properties }) => properties.public === true,
          },
        },
      ],
    },
    tabs: [
      {
        name: 'screen',
        title: 'Screen',
        view: lazyView(() => import('./server/screen-tab.tsx').then((m) => m.ScreenTab)),
      },
      {
        name: 'metrics',
        title: 'Metrics',
        view: lazyView(() => import('./server/metrics-tab.tsx').then((m) => m.ServerMetricsTab)),
      },
    ],
  },
  { of: 'image', obstacles: imageObstacles },
  ...computeCells,
];
