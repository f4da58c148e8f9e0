// The web console as the platform sees it.
import type { Service } from '../surface/http/exchange.ts';
import { consoleRoutes, type Ports, signIn, webFiles } from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { acrossRoute } from './across.ts';
import { consoleService } from './index.ts';
import { openLive } from './live/live.ts';
import { filesAddress, webApp } from './web-app.ts';

// `services`: those with API pages.
export function openConsole(context: Context, ports: Ports, services: () => readonly Service[]): Product {
  const { version, regions, log, clock } = context;
  const address = (name: string): Promise<string | undefined> =>
    webApp().then(
      (app) => filesAddress(app, name),
      () => undefined, // the console's own page says why
    );
  ports.fill(webFiles, { address });
  const live = openLive(context, ports, services);
  return {
    name: 'console',
    resources: [],
    services: () => {
      const { routes: sessionRoutes, lifetimes, mostTokens } = ports.use(signIn);
      const resources = () => context.model.all();
      const corePrefix = (): string => services().find(({ name }) => name === 'cloudapi')?.prefixes[0] ?? '';
      const productRoutes = [...ports.list(consoleRoutes), acrossRoute(context, corePrefix)];
      const routes = { sessionRoutes, liveRoutes: live.routes(), productRoutes };
      const known = { version, regions, services, resources, lifetimes, mostTokens, ...routes };
      return [consoleService({ ...known, clock, log, app: webApp })];
    },
    start: async () => live.start(),
    leave: () => live.stop(),
  };
}
