// Console extensions for compute resources: the diagram of a datacenter; form defaults, power actions, screen,
// terminal and metrics of a server; metrics of load balancers; obstacles of images and IP blocks.
import { lazyView } from '../lazy.tsx';
import type { Extension, Tab } from '../resources/extension.ts';
import { computeCells } from './cells.tsx';
import { firstVolume, serverStart } from './server/form-start.ts';
import { powerObstacles } from './server/power.ts';

const arePublic = (): string => 'All contracts share the catalogue images, so you can’t change them.';
const imageObstacles = { image_change: arePublic, image_replace: arePublic, image_remove: arePublic };

const balancerMetrics: Tab = {
  name: 'metrics',
  title: 'Metrics',
  view: lazyView(() => import('./balancer/metrics-tab.tsx').then((m) => m.BalancerMetricsTab)),
};

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
        name: 'terminal',
        title: 'Terminal',
        view: lazyView(() => import('./server/terminal-tab.tsx').then((m) => m.TerminalTab)),
      },
      {
        name: 'metrics',
        title: 'Metrics',
        view: lazyView(() => import('./server/metrics-tab.tsx').then((m) => m.ServerMetricsTab)),
      },
    ],
  },
  { of: 'volume', first: firstVolume },
  { of: 'networkloadbalancer', tabs: [balancerMetrics] },
  { of: 'applicationloadbalancer', tabs: [balancerMetrics] },
  { of: 'image', obstacles: imageObstacles },
  {
    of: 'ipblock',
    heldBy: async (block, signal) => (await import('./read-ip-users.ts')).holdersOfBlock(block, signal),
  },
  ...computeCells,
];
