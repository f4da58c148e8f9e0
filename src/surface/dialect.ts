// The surface's half of a dialect: all differences between services in bodies and answers. resource-routes.ts creates
// the routes of declared resources from it.
import type { Fault } from '../base/fault.ts';
import type { Values } from '../base/json.ts';
import type { Caller } from '../core/access.ts';
import type { Dialect } from '../core/dialect.ts';
import type { Accepted } from '../core/operation/operation.ts';
import type { Draft, Resource, Verb } from '../core/resource.ts';
import type { Way } from '../core/schema.ts';
import type { Row } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import type { Exchange, Parameter, Reply, Route } from './http/exchange.ts';
import type { Machinery } from './machinery.ts';

export type ReplyStatuses = Pick<Route, 'replyStatus' | 'otherStatus' | 'mayConflict' | 'isPolled'>;

export interface SurfaceDialect {
  readonly wrapsPatch: boolean; // the body of a PATCH is `{ properties }`, not the properties alone
  summary(resource: Resource, verb: Verb): string;
  parameters(resource: Resource, verb: Verb): Parameter[] | undefined;
  statuses(resource: Resource, verb: Verb): ReplyStatuses;
  bodySchema(resource: Resource, way: Way): Values;
  replySchema(resource: Resource, verb: Verb): Values | undefined; // undefined: no body is sent
  // Finds the resources that the path names, `above` uppermost first, and whether the caller may; rows go to `x.rows`.
  find(
    machinery: Machinery,
    x: Exchange,
    above: readonly Resource[],
    resource: Resource,
    verb: Verb,
  ): Promise<void> | void;
  // Whether a read by this caller would show it; `top` is the uppermost resource of its path. `find` asks the same.
  shows(store: Store, caller: Caller, resource: Resource, top: Row): Promise<boolean> | boolean;
  list(machinery: Machinery, resource: Resource, x: Exchange): Promise<Reply>;
  get(machinery: Machinery, resource: Resource, x: Exchange): Promise<Reply>;
  readBody?(x: Exchange): void; // puts other spellings of the body into the one that is declared
  draft(machinery: Machinery, resource: Resource, way: Way | 'remove', x: Exchange): Draft;
  decide?(machinery: Machinery, draft: Draft): Promise<void>; // instead of the resource's own decision
  reply(machinery: Machinery, x: Exchange, accepted: Accepted): Promise<Reply>;
  href(x: Pick<Exchange, 'base' | 'prefix'>, path: string): string; // of a row's path, as seen from any service
  renderFault(fault: Fault): Reply;
}

// A dialect of one product, both halves in one object.
export type WholeDialect = Dialect & SurfaceDialect;
