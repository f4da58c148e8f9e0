// A console session for tests without a browser: the cookie, the header that only pages of the console send, and the
// origin of the call.
import assert from 'node:assert/strict';
import type { Answer, Owner, Region, ResourceBody } from '../../harness/region.ts';

export const sessionPath = '/console/session';

export interface Who {
  signedIn: boolean;
  user: { id: string; email: string; firstname: string; lastname: string };
  role: string;
  privileges: string[];
  contract: number;
  contracts: number[];
  tokenId: string | null;
  expiresDate: string;
  now: string;
}

export type Headers = Record<string, string>;

// The console's address of an S3 path. It is one encoded path part, so that dots in keys are not resolved.
export const consoleS3 = (bucket: string, key?: string, query = ''): string =>
  `/console/s3/${encodeURIComponent(key === undefined ? bucket : `${bucket}/${key}`)}${query}`;

// The headers that a browser sends for a page of the console.
export const ownPage: Headers = { 'x-console': '1', 'sec-fetch-site': 'same-origin' };

export const post = (region: Region, body: unknown, headers: Headers = ownPage): Promise<Answer> =>
  region.call('POST', sessionPath, body, { token: null, headers });

export function cookieOf({ headers }: Answer<unknown>): string {
  const [cookie = ''] = headers['set-cookie'] ?? [];
  return cookie.split(';')[0] ?? '';
}

export class Visitor {
  readonly region: Region;
  cookie: string; // replaced by a new cookie like in a browser, but not by a cleared one

  constructor(region: Region, cookie: string) {
    this.region = region;
    this.cookie = cookie;
  }

  // For another node or after a restart. The name of the cookie contains the port, which is constant behind a balancer.
  at(region: Region): Visitor {
    return new Visitor(region, this.cookie.replace(/-\d+=/, `-${new URL(region.url).port}=`));
  }

  async call<T = ResourceBody>(
    method: string,
    path: string,
    body?: unknown,
    headers: Headers = ownPage,
  ): Promise<Answer<T>> {
    const sent = { token: null, headers: { cookie: this.cookie, ...headers } };
    const answer = await this.region.call<T>(method, path, body, sent);
    if (/=[^;]/.test(cookieOf(answer))) this.cookie = cookieOf(answer);
    return answer;
  }

  async who(): Promise<Who> {
    const { status, body } = await this.call<Who>('GET', sessionPath);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  async statusOf(path = '/cloudapi/v6/datacenters', headers?: Headers): Promise<number> {
    return (await this.call('GET', path, undefined, headers)).status;
  }
}

export async function signIn(region: Region, credentials: Owner | { token: string }): Promise<Visitor> {
  const answer = await post(region, credentials);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return new Visitor(region, cookieOf(answer));
}
