// Paths to routes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../base/fault.ts';
import type { Route } from './exchange.ts';
import { Router } from './router.ts';

const route = (method: string, path: string): Route => ({
  method,
  path,
  operation: `${method} ${path}`,
  summary: '',
  call: () => ({ status: 200 }),
});
const router = new Router([
  route('GET', '/'),
  route('GET', '/widgets'),
  route('POST', '/widgets'),
  route('GET', '/widgets/special'),
  route('GET', '/widgets/{id}'),
  route('GET', '/widgets/{id}/parts/{part}'),
]);
const found = (method: string, path: string) => {
  const { route: one, params } = router.match(method, path);
  return [one.operation, ...params];
};
const fault = (method: string, path: string): Fault => {
  try {
    router.match(method, path);
  } catch (error) {
    if (error instanceof Fault) return error;
  }
  throw new assert.AssertionError({ message: `${method} ${path} was found` });
};

test('paths are found with their parameters; static segments win; a trailing slash is ignored', () => {
  assert.deepEqual(found('GET', '/'), ['GET /']);
  assert.deepEqual(found('GET', '/widgets/'), ['GET /widgets']);
  assert.deepEqual(found('GET', '/widgets/special'), ['GET /widgets/special']);
  assert.deepEqual(found('GET', '/widgets/a%2Fb'), ['GET /widgets/{id}', 'a/b']);
  assert.deepEqual(found('HEAD', '/widgets/1/parts/2'), ['GET /widgets/{id}/parts/{part}', '1', '2']);
});

test('[GEN-09] unknown paths are missing, known ones with another method name theirs', () => {
  for (const path of ['/nothing', '/widgets/1/parts', '/widgets/1/parts/2/3', '//', '/widgets//parts/x/y'])
    assert.equal(fault('GET', path).kind, 'missing', path);
  assert.equal(fault('GET', '/widgets/%zz').kind, 'missing');
  assert.match(fault('GET', '/nothing').message, /^There is no \/nothing here\.$/);
  const rootless = new Router([route('GET', '/clock')]);
  assert.throws(() => rootless.match('GET', '/', '/lab'), { message: /^\/lab is the root of a service/ });
  const method = fault('DELETE', '/widgets');
  assert.deepEqual([method.kind, method.detail.allow], ['method', ['GET', 'POST']]);
});

test('a wildcard takes the rest of a path, and comes after static segments and parameters', () => {
  const objects = new Router([
    route('GET', '/'),
    route('GET', '/health'),
    route('GET', '/{bucket}'),
    route('PUT', '/{bucket}/{key*}'),
    route('GET', '/{bucket}/{key*}'),
    route('GET', '/{bucket}/special/{part}'),
    route('GET', '/files/{path*}'),
  ]);
  const at = (path: string) => {
    const { route: one, params, rest } = objects.match('GET', path);
    return [one.path, ...params, rest];
  };
  assert.deepEqual(at('/health'), ['/health', '']);
  assert.deepEqual(at('/b'), ['/{bucket}', 'b', '']);
  assert.deepEqual(at('/b/'), ['/{bucket}', 'b', '']);
  assert.deepEqual(at('/b/k'), ['/{bucket}/{key*}', 'b', 'k', 'k']);
  assert.deepEqual(at('/b/a%2Fb/c%20d/'), ['/{bucket}/{key*}', 'b', 'a/b/c d/', 'a%2Fb/c%20d/']);
  assert.deepEqual(at('/b//k'), ['/{bucket}/{key*}', 'b', '/k', '/k']);
  assert.deepEqual(at('/b/special/1'), ['/{bucket}/special/{part}', 'b', '1', '']);
  assert.deepEqual(at('/b/special/1/2'), ['/{bucket}/{key*}', 'b', 'special/1/2', 'special/1/2']);
  assert.deepEqual(at('/b/special'), ['/{bucket}/{key*}', 'b', 'special', 'special']);
  assert.throws(() => at('/health/x'), { kind: 'missing' });
  assert.deepEqual(at('/files'), ['/files/{path*}', '', '']);
  assert.deepEqual(at('/files/'), ['/files/{path*}', '', '']);
  assert.throws(() => objects.match('DELETE', '/b/k'), { kind: 'method' });
  assert.throws(() => objects.match('GET', '/b/%zz'), { kind: 'missing' });
  assert.throws(() => new Router([route('GET', '/{a*}/b')]), /not its last part/);
});

test('two routes for one path are a mistake', () => {
  assert.throws(() => new Router([route('GET', '/a/{x}'), route('GET', '/a/{y}')]));
});
