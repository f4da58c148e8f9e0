// The DNS calls of one contract, for tests with several contracts.
import assert from 'node:assert/strict';
import { until } from '../../src/testing/waiting.ts';
import type { Answer, Region, ResourceBody } from '../harness/region.ts';

export class Tenant {
  readonly region: Region; // as the owner of the contract

  constructor(region: Region) {
    this.region = region;
  }

  call(method: string, path: string, properties?: object): Promise<Answer> {
    return this.region.call(method, `/dns${path}`, properties && { properties });
  }

  async must(method: string, path: string, properties?: object): Promise<ResourceBody> {
    const { status, body } = await this.call(method, path, properties);
    assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  // The path of the new resource, once it is available.
  async add(path: string, properties: object): Promise<string> {
    const { id } = await this.must('POST', path, properties);
    return this.available(`${path}/${id}`);
  }

  addZone(zoneName: string): Promise<string> {
    return this.add('/zones', { zoneName });
  }

  addRecord(zone: string, name: string, type: string, content: string, more: object = {}): Promise<string> {
    return this.add(`${zone}/records`, { name, type, content, ...more });
  }

  async replace(path: string, properties: object): Promise<void> {
    await this.must('PUT', path, properties);
    await this.available(path);
  }

  async remove(path: string): Promise<void> {
    await this.must('DELETE', path);
    await until(`${path} is deleted`, async () => (await this.call('GET', path)).status === 404);
  }

  async available(path: string): Promise<string> {
    const isBusy = ({ metadata }: ResourceBody): boolean => metadata.state === 'PROVISIONING';
    await until(`${path} is available`, async () => !isBusy(await this.must('GET', path)));
    return path;
  }

  // Expects that the call is refused because of the names of others. Returns the message.
  async refused(method: string, path: string, properties: object): Promise<string> {
    const { status, body } = await this.call(method, path, properties);
    assert.equal(status, 409, `${method} ${path} ${JSON.stringify(properties)}: ${JSON.stringify(body)}`);
    return String(body.messages[0]?.message);
  }
}
