// Reads the fields of a request. Invalid values are refused with the name of the field; unknown fields are ignored, and
// null counts as absent.
import { Fault } from '../../base/fault.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { ParameterFault } from './faults.ts';

export const longestText = 8 * 1024 * 1024;

export const isPlainText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

export class Fields {
  readonly #values: Values;
  readonly #at: string;

  constructor(body: Json | undefined, at = '') {
    if (!isObject(body)) throw at === '' ? noObject() : new ParameterFault(at, 'an object is expected');
    this.#values = body;
    this.#at = at;
  }

  has(name: string): boolean {
    return this.raw(name) !== undefined;
  }

  raw(name: string): Json | undefined {
    return Object.hasOwn(this.#values, name) ? (this.#values[name] ?? undefined) : undefined;
  }

  refuse(name: string, message: string): ParameterFault {
    return new ParameterFault(this.place(name), message);
  }

  // The path of a field in the whole body.
  place(name: string): string {
    return this.#at ? `${this.#at}.${name}` : name;
  }

  text(name: string, most = longestText): string {
    const value = this.maybeText(name, most);
    if (value === undefined) throw this.refuse(name, 'it is required');
    return value;
  }

  maybeText(name: string, most = longestText): string | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'string') throw this.refuse(name, 'a string is expected');
    return this.checked(name, value, most);
  }

  // No tokenizer can read a lone surrogate, and a NUL would end a text early.
  checked(name: string, text: string, most = longestText): string {
    if (text.length > most) throw this.refuse(name, `at most ${most} characters are possible`);
    if (!isPlainText(text)) throw this.refuse(name, 'well-formed Unicode without NUL is expected');
    return text;
  }

  flag(name: string): boolean {
    const value = this.raw(name) ?? false;
    if (typeof value !== 'boolean') throw this.refuse(name, 'true or false is expected');
    return value;
  }

  number(name: string, min: number, max: number): number | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'number' || value < min || value > max)
      throw this.refuse(name, `a number ${boundsOf(min, max)} is expected`);
    return value;
  }

  whole(name: string, min: number, max: number): number | undefined {
    const value = this.number(name, min, max);
    if (value !== undefined && !Number.isInteger(value)) throw this.refuse(name, 'a whole number is expected');
    return value;
  }

  oneOf<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const value = this.maybeText(name);
    const found = words.find((word) => word === value);
    if (value !== undefined && found === undefined) throw this.refuse(name, `one of ${words.join(', ')} is expected`);
    return found;
  }

  list(name: string, most: number): Json[] | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) throw this.refuse(name, 'a list is expected');
    if (value.length > most) throw this.refuse(name, `at most ${most} elements are possible`);
    return value;
  }

  inside(name: string): Fields | undefined {
    const value = this.raw(name);
    return value === undefined ? undefined : new Fields(value, this.place(name));
  }
}

const boundsOf = (min: number, max: number): string =>
  max < Number.MAX_SAFE_INTEGER ? `from ${min} to ${max}` : `of at least ${min}`;

const noObject = (): Fault => new Fault('refused', '[(root)] An object is expected', { code: 'invalid_value' });
