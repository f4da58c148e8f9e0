// What is special about resources of the core: the diagram of a datacenter; the form, the power, the
// screen and the metrics of a server.
import { lazyView } from '../lazy.tsx';
import type { Extension } from '../resources/extension.ts';
import { computeCells } from './cells.tsx';
import { serverStart } from './server/form-start.ts';
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
    start: serverStart,
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
  {
    of: 'ipblock',
    heldBy: async (block, signal) => (await import('./read-ip-users.ts')).holdersOfBlock(block, signal),
  },
  ...computeCells,
];
