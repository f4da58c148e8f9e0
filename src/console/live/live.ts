// Live updates of the console: the feed of changes, and the route that sends them to callers who may see them.

import { requestPlace } from '../../core/operation/request.ts';
import { byAuthorization } from '../../surface/http/authentication.ts';
import type { Route, Service } from '../../surface/http/exchange.ts';
import { authentication, type Ports, undeclaredCollections } from '../../surface/ports.ts';
import type { Context } from '../../surface/product.ts';
import { requestNamesRoute } from '../request-names.ts';
import { searchRoute } from '../search.ts';
import { ChangeFeed } from './change-feed.ts';
import { changesInWrites } from './changes-in-writes.ts';
import { DeclaredPlaces } from './declared-places.ts';
import { eventRoute } from './event-route.ts';
import { OtherNodes } from './other-nodes.ts';
import { Visibility } from './visibility.ts';

export interface Live {
  routes(): Route[]; // called when all products are open
  start(): void;
  stop(): void;
}

export function openLive({ store, model, clock }: Context, ports: Ports, services: () => readonly Service[]): Live {
  const undeclared = () => ports.list(undeclaredCollections);
  const changesIn = changesInWrites(undeclared);
  const feed = new ChangeFeed(store, changesIn);
  let known: DeclaredPlaces | undefined;
  const places = (): DeclaredPlaces => {
    known ??= new DeclaredPlaces(model.all(), () => prefixOf(services(), 'cloudapi'));
    return known;
  };
  const isShown = (path: string): boolean =>
    path.startsWith(`${requestPlace}/`) ||
    places().find(path) !== undefined ||
    undeclared().some(({ place }) => path.startsWith(`${place}/`));
  const others = store.engine.exclusive ? undefined : new OtherNodes({ store, feed, changesIn, isShown });
  const closing = new AbortController();
  return {
    routes() {
      const visibility = new Visibility(store, places(), undeclared());
      const findCaller = byAuthorization(ports.use(authentication), false);
      const events = eventRoute({ feed, visibility, store, findCaller, clock, closing: closing.signal });
      return [events, searchRoute(store, places(), undeclared()), requestNamesRoute(store)];
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
