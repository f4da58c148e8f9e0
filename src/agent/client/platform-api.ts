// The platform's JSON APIs, called with the caller's token.
import { isObject, type Json, type Values } from '../../base/json.ts';
import { addresses, type ServiceName, urlOf } from './addresses.ts';
import type { Access, Call, Connection } from './connection.ts';
import { apiFailure, Failure, missingToken } from './failure.ts';
import type { Answer, ReadOnlyClient } from './read-only-client.ts';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface PlatformApiOptions {
  client: ReadOnlyClient;
  connection: Connection;
  userAgent(): string;
}

export class PlatformApi {
  readonly #options: PlatformApiOptions;

  constructor(options: PlatformApiOptions) {
    this.#options = options;
  }

  // `path` is made by `pathOf`, or is a constant.
  async json(service: ServiceName, path: string, query: Query = {}): Promise<Json> {
    const { text } = await this.#get(service, path, query, 'application/json');
    try {
      return JSON.parse(text) as Json;
    } catch {
      throw new Failure(
        `The answer to GET ${path} is not JSON. Check that IONOS_API_URL is the address of the platform.`,
      );
    }
  }

  async object(service: ServiceName, path: string, query?: Query): Promise<Values> {
    const answer = await this.json(service, path, query);
    return isObject(answer) ? answer : {};
  }

  async text(service: ServiceName, path: string, query: Query = {}): Promise<string> {
    return (await this.#get(service, path, query, '*/*')).text;
  }

  async #get(service: ServiceName, path: string, query: Query, accept: string): Promise<Answer> {
    const { client, connection, userAgent } = this.#options;
    const { source } = connection;
    const call = ({ apiUrl, token }: Access): Call => {
      if (token === undefined) throw missingToken(source);
      const url = urlOf(addresses(apiUrl)(service) + path);
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) url.searchParams.append(name, String(value));
      const headers = { accept, authorization: `Bearer ${token}`, 'user-agent': userAgent() };
      return { url, answer: client.get(url, headers) };
    };
    const answer = await connection.ask(call);
    if (answer.status === 200) return answer;
    throw apiFailure(answer.status, answer.text, source);
  }
}

// Arguments are data: each becomes exactly one part of the path, whatever it contains.
export function pathOf(template: string, values: Values): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(values[name] ?? '');
    const isPart = value !== '' && value !== '.' && value !== '..' && value.length <= 1024 && value.isWellFormed();
    if (!isPart) throw new Failure(`${name}: '${value.slice(0, 60)}' is not a valid id.`);
    return encodeURIComponent(value);
  });
}
