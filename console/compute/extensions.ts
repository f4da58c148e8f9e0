// Console extensions for compute resources: the diagram of a datacenter; form defaults, power actions, screen,
// terminal and metrics of a server; metrics of load balancers; obstacles of images and IP blocks.
import { lazyView } from '../lazy.tsx';
import type { Extension, Tab } from '../resources/extension.ts';
import { checkListener } from './balancer/listener-check.ts';
import { computeCells } from './cells.tsx';
import { serverList, volumeList } from './lists.tsx';
import { suggestAddresses, suggestLan, suggestNic, suggestVolume } from './new-names.ts';
import { firstVolume, serverStart } from './server/form-start.ts';
import { powerObstacles } from './server/power.ts';
import { serverActions, serverShortcuts } from './server/server-actions.ts';

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
    mainList: 'servers',
    firstTabs: ['diagram'],
    tabs: [
      {
        name: 'diagram',
        title: 'Diagram',
        view: lazyView(() => import('./diagram/diagram-tab.tsx').then((m) => m.DiagramTab)),
      },
    ],
  },
  {
    of: 'server',
    list: serverList,
    depth: 3, // with its NICs and volumes
    firstTabs: ['properties', 'metrics', 'terminal', 'screen', 'nics', 'volumes', 'securitygroups'],
    head: lazyView(() => import('./server/server-head.tsx').then((m) => m.ServerHead)),
    actions: serverActions,
    hiddenActions: ['server_ssh'],
    shortcuts: serverShortcuts,
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
  { of: 'volume', list: volumeList, suggest: suggestVolume, first: firstVolume },
  { of: 'lan', suggest: suggestLan },
  { of: 'nic', suggest: suggestNic },
  { of: 'networkloadbalancer', tabs: [balancerMetrics], check: checkListener },
  { of: 'applicationloadbalancer', tabs: [balancerMetrics], check: checkListener },
  { of: 'image', obstacles: imageObstacles },
  {
    of: 'ipblock',
    start: { properties: { size: 1 }, nested: [] },
    suggest: suggestAddresses,
    heldBy: async (block, signal) => (await import('./read-ip-users.ts')).holdersOfBlock(block, signal),
  },
  ...computeCells,
];
