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
  route('GET', '/things'),
  route('POST', '/things'),
  route('GET', '/things/special'),
  route('GET', '/things/{id}'),
  route('GET', '/things/{id}/parts/{part}'),
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

test('paths are found with their parameters; what is fixed wins; a trailing slash is nothing', () => {
  assert.deepEqual(found('GET', '/'), ['GET /']);
  assert.deepEqual(found('GET', '/things/'), ['GET /things']);
  assert.deepEqual(found('GET', '/things/special'), ['GET /things/special']);
  assert.deepEqual(found('GET', '/things/a%2Fb'), ['GET /things/{id}', 'a/b']);
  assert.deepEqual(found('HEAD', '/things/1/parts/2'), ['GET /things/{id}/parts/{part}', '1', '2']);
});

test('[GEN-09] unknown paths are missing, known ones with another method name theirs', () => {
  for (const path of ['/nothing', '/things/1/parts', '/things/1/parts/2/3', '//', '/things//parts/x/y'])
    assert.equal(fault('GET', path).kind, 'missing', path);
  assert.equal(fault('GET', '/things/%zz').kind, 'missing');
  assert.match(fault('GET', '/nothing').message, /^There is no \/nothing here\.$/);
  const rootless = new Router([route('GET', '/clock')]);
  assert.throws(() => rootless.match('GET', '/', '/lab'), { message: /^At \/lab a service begins/ });
  const method = fault('DELETE', '/things');
  assert.deepEqual([method.kind, method.detail.allow], ['method', ['GET', 'POST']]);
});

test('a wildcard takes the rest of a path, and comes after what is fixed and after parameters', () => {
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

test('two routes for one thing are a mistake', () => {
  assert.throws(() => new Router([route('GET', '/a/{x}'), route('GET', '/a/{y}')]));
});
