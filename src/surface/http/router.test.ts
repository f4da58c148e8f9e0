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

test('two routes for one thing are a mistake', () => {
  assert.throws(() => new Router([route('GET', '/a/{x}'), route('GET', '/a/{y}')]));
});
