// The web console as the platform sees it.
import type { Service } from '../surface/http/exchange.ts';
import { type Ports, signIn } from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { consoleService } from './index.ts';
import { webApp } from './web-app.ts';

// `services`: those with API pages.
export function openConsole(context: Context, ports: Ports, services: () => readonly Service[]): Product {
  const { version, regions, log } = context;
  return {
    name: 'console',
    resources: [],
    services: () => {
      const { routes: sessionRoutes, lifetimes, mostTokens } = ports.use(signIn);
      const tools = { version, regions: regions.all, services, lifetimes, mostTokens, sessionRoutes, log, app: webApp };
      return [consoleService(tools)];
    },
  };
}
