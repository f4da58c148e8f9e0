// The live view of the console: a feed of changes, and the route that tells them to those who may see them.

import { byAuthorization } from '../../surface/http/authentication.ts';
import type { Route, Service } from '../../surface/http/exchange.ts';
import { authentication, type Ports } from '../../surface/ports.ts';
import type { Context } from '../../surface/product.ts';
import { searchRoute } from '../search.ts';
import { ChangeFeed } from './change-feed.ts';
import { DeclaredPlaces } from './declared-places.ts';
import { eventRoute } from './event-route.ts';
import { OtherNodes } from './other-nodes.ts';
import { Visibility } from './visibility.ts';

export interface Live {
  routes(): Route[]; // asked for when all products are open
  start(): void;
  stop(): void;
}

export function openLive({ store, model }: Context, ports: Ports, services: () => readonly Service[]): Live {
  const feed = new ChangeFeed(store);
  const others = store.engine.exclusive ? undefined : new OtherNodes(store, feed);
  const closing = new AbortController();
  return {
    routes() {
      const places = new DeclaredPlaces(model.all(), () => prefixOf(services(), 'cloudapi'));
      const visibility = new Visibility(store, places);
      const findCaller = byAuthorization(ports.use(authentication), false);
      const begin = async (contract: number): Promise<void> => others?.begin(contract);
      const events = eventRoute({ feed, visibility, store, begin, findCaller, closing: closing.signal });
      return [events, searchRoute(store, () => places)];
    },
    start: () => others?.start(),
    stop() {
      others?.stop();
      closing.abort();
    },
  };
}

const prefixOf = (services: readonly Service[], name: string): string =>
  services.find((service) => service.name === name)?.prefixes[0] ?? '';
