// Replaces the names and e-mail addresses of users, everywhere in a dump.
import { isObject, type Json, type Values } from '../../base/json.ts';

export class Aliases {
  readonly #byEmail = new Map<string, string>();

  // Before the dump is written, so that references contain the new names, too. Returns a changed copy.
  user(properties: Values): Values {
    const number = this.#byEmail.size + 1;
    const { email } = properties;
    if (typeof email === 'string') this.#aliasOf(email);
    return {
      ...properties,
      firstname: 'User',
      lastname: String(number),
      ...(typeof email === 'string' && { email: this.#aliasOf(email) }),
    };
  }

  // Other e-mail addresses are those of contacts, and in texts.
  everywhere<T extends Json>(value: T): T {
    if (typeof value === 'string') return value.replaceAll(address, (found) => this.#aliasOf(found)) as T;
    if (Array.isArray(value)) return value.map((one) => this.everywhere(one)) as T;
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.everywhere(one)])) as T;
  }

  #aliasOf(email: string): string {
    const key = email.toLowerCase();
    if (isAlias.test(key)) return email;
    const alias = this.#byEmail.get(key) ?? `user-${this.#byEmail.size + 1}@example.com`;
    this.#byEmail.set(key, alias);
    return alias;
  }
}

// In references, dots are escaped.
const address = /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}/g;
const isAlias = /^user-\d+@example\.com$/;
