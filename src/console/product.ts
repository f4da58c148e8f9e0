// The web console as a product of the platform.
import {
  callRefusals,
  consoleParts,
  consoleRoutes,
  machineEngine,
  type Ports,
  signIn,
  webFiles,
} from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { consoleParts as ownParts } from './console-parts.ts';
import { crossParentListRoute } from './cross-parent-list.ts';
import { consoleService } from './index.ts';
import { openLive } from './live/live.ts';
import { rightsRoute } from './rights.ts';
import { filesAddress, webApp } from './web-app.ts';

export function openConsole(context: Context, ports: Ports): Product {
  const { version, regions, log, clock, services } = context;
  const address = (name: string): Promise<string | undefined> =>
    webApp().then(
      (app) => filesAddress(app, name),
      () => undefined, // the console's page shows the reason
    );
  ports.fill(webFiles, { address });
  ports.add(consoleParts, ownParts);
  const live = openLive(context, ports, services);
  return {
    resources: [],
    services: () => {
      const { routes: sessionRoutes, lifetimes, mostTokens } = ports.use(signIn);
      const resources = () => context.model.all();
      const corePrefix = (): string => services().find(({ name }) => name === 'cloudapi')?.prefixes[0] ?? '';
      const ownRoutes = [crossParentListRoute(context, corePrefix), rightsRoute(() => ports.use(callRefusals))];
      const productRoutes = [...ports.list(consoleRoutes), ...ownRoutes];
      const routes = { sessionRoutes, liveRoutes: live.routes(), productRoutes };
      const parts = () => ports.list(consoleParts);
      const known = { version, regions, services, resources, parts, lifetimes, mostTokens, ...routes };
      const machines = ports.use(machineEngine);
      return [consoleService({ ...known, machines, clock, log, app: webApp })];
    },
    start: async () => live.start(),
    leave: () => live.stop(),
  };
}
