// The fields of message tables, with the versions that have them. A table is data; `codecOf` creates a codec of it for
// one version. TypeScript infers the type of a message from its table.
import { MalformedError, type Reader } from './reader.ts';
import { Writer } from './writer.ts';

export interface Codec<T> {
  read(reader: Reader): T;
  write(writer: Writer, value: T): void;
}

// The version properties that a field's codec depends on. Flexible versions have compact lengths and tagged fields.
interface Form {
  version: number;
  flexible: boolean;
  nullable: boolean;
}

interface Type<T> {
  empty: T;
  fields?: Fields; // of a struct
  element?: Field<unknown, unknown>; // of an array
  codec(form: Form): Codec<T>;
}

export class Field<T, G = T> {
  declare readonly given: G; // only a type: the values that the writer of a message passes
  readonly type: Type<T>;
  first = 0;
  last = Number.POSITIVE_INFINITY;
  nullableFrom = Number.POSITIVE_INFINITY;
  tagNumber = -1;
  fallback: T; // used if the version lacks the field or the writer passes none

  constructor(type: Type<T>) {
    this.type = type;
    this.fallback = type.empty;
  }

  since(first: number): Field<T, G> {
    return Object.assign(this.#copy(), { first });
  }

  until(last: number): Field<T, G> {
    return Object.assign(this.#copy(), { last });
  }

  nullable(nullableFrom = 0): Field<T | null, G | null> {
    const copy = this.#copy() as unknown as Field<T | null, G | null>;
    return Object.assign(copy, { nullableFrom, fallback: null });
  }

  tag(tagNumber: number): Field<T, G> {
    return Object.assign(this.#copy(), { tagNumber });
  }

  or(fallback: T): Field<T, G> {
    return Object.assign(this.#copy(), { fallback });
  }

  #copy(): Field<T, G> {
    return Object.assign(new Field<T, G>(this.type), this);
  }
}

export type Fields = Record<string, Field<unknown, unknown>>;
export type ValueOf<F> = { [Name in keyof F]: F[Name] extends Field<infer T, infer _> ? T : never };
export type GivenOf<F> = { [Name in keyof F]?: F[Name] extends Field<infer _, infer G> ? G : never };

const plain = <T>(empty: T, read: (reader: Reader) => T, write: (writer: Writer, value: T) => void): Field<T> =>
  new Field<T>({ empty, codec: () => ({ read, write }) });

export const bool = plain(
  false,
  (reader) => reader.int8() !== 0,
  (writer, value) => writer.int8(value ? 1 : 0),
);
export const int8 = plain(
  0,
  (reader) => reader.int8(),
  (writer, value) => writer.int8(value),
);
export const int16 = plain(
  0,
  (reader) => reader.int16(),
  (writer, value) => writer.int16(value),
);
export const uint16 = plain(
  0,
  (reader) => reader.int16() & 0xffff,
  (writer, value) => writer.int16((value << 16) >> 16),
);
export const int32 = plain(
  0,
  (reader) => reader.int32(),
  (writer, value) => writer.int32(value),
);
export const int64 = plain(
  0,
  (reader) => reader.int64(),
  (writer, value) => writer.int64(value),
);
export const float64 = plain(
  0,
  (reader) => reader.float64(),
  (writer, value) => writer.float64(value),
);
export const noUuid = '0'.repeat(32);
export const uuid = plain(
  noUuid,
  (reader) => reader.uuid(),
  (writer, value) => writer.uuid(value),
);

// A length or null, followed by the content. `short` is the width of the length in versions that are not flexible.
function counted<T>(form: Form, short: 2 | 4, rest: { read: Counted<T>; write(writer: Writer, value: T): void }) {
  const { flexible, nullable } = form;
  const writeLength = (writer: Writer, length: number): void => {
    if (flexible) writer.unsignedVarint(length + 1);
    else if (short === 2) writer.int16(length);
    else writer.int32(length);
  };
  const codec: Codec<T> = {
    read(reader) {
      const length = flexible ? reader.unsignedVarint() - 1 : short === 2 ? reader.int16() : reader.int32();
      if (length >= 0) return rest.read(reader, length);
      if (length < -1 || !nullable) throw new MalformedError('null is not allowed here');
      return null as T;
    },
    write(writer, value) {
      if (value === null && nullable) writeLength(writer, -1);
      else rest.write(writer, value);
    },
  };
  return { codec, writeLength };
}
type Counted<T> = (reader: Reader, length: number) => T;

export const string = new Field<string>({
  empty: '',
  codec(form) {
    const { codec, writeLength } = counted<string>(form, 2, {
      read: (reader, length) => reader.text(length),
      write(writer, value) {
        const length = Buffer.byteLength(value);
        writeLength(writer, length);
        writer.text(value, length);
      },
    });
    return codec;
  },
});

export const bytes = new Field<Buffer>({
  empty: Buffer.alloc(0),
  codec(form) {
    const { codec, writeLength } = counted<Buffer>(form, 4, {
      read: (reader, length) => reader.bytes(length),
      write(writer, value) {
        writeLength(writer, value.length);
        writer.bytes(value);
      },
    });
    return codec;
  },
});

type ArrayOf<E> = E extends Field<infer T, infer G> ? Field<T[], G[]> : Field<ValueOf<E>[], GivenOf<E>[]>;

export function array<E extends Field<unknown, unknown> | Fields>(element: E): ArrayOf<E> {
  const field = element instanceof Field ? element : struct(element as Fields);
  const type: Type<unknown[]> = {
    empty: [],
    element: field,
    codec(form) {
      const item = field.type.codec({ ...form, nullable: false });
      const { codec, writeLength } = counted<unknown[]>(form, 4, {
        read(reader, length) {
          const values: unknown[] = [];
          for (let count = reader.elements(length); count > 0; count--) values.push(item.read(reader));
          return values;
        },
        write(writer, values) {
          writeLength(writer, values.length);
          for (const value of values) item.write(writer, value);
        },
      });
      return codec;
    },
  };
  return new Field(type) as unknown as ArrayOf<E>;
}

export function struct<F extends Fields>(fields: F): Field<ValueOf<F>, GivenOf<F>> {
  const empty = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.fallback])) as ValueOf<F>;
  return new Field<ValueOf<F>, GivenOf<F>>({
    empty,
    fields,
    codec({ version, flexible, nullable }) {
      const codec = codecOf(fields, version, flexible);
      if (!nullable) return codec as unknown as Codec<ValueOf<F>>;
      const orNull: Codec<ValueOf<F> | null> = {
        read: (reader) => (reader.int8() < 0 ? null : codec.read(reader)),
        write(writer, value) {
          writer.int8(value === null ? -1 : 1);
          if (value !== null) codec.write(writer, value as GivenOf<F>);
        },
      };
      return orNull as Codec<ValueOf<F>>;
    },
  });
}

interface Part extends Codec<unknown> {
  name: string;
  tag: number;
  fallback: unknown;
}

export function codecOf<F extends Fields>(
  fields: F,
  version: number,
  flexible: boolean,
): { read(reader: Reader): ValueOf<F>; write(writer: Writer, value: GivenOf<F>): void } {
  const here = Object.entries(fields).filter(([, { first, last }]) => version >= first && version <= last);
  const parts: Part[] = here.map(([name, { type, nullableFrom, tagNumber, fallback }]) => ({
    ...type.codec({ version, flexible, nullable: version >= nullableFrom }),
    name,
    tag: tagNumber,
    fallback,
  }));
  const untagged = parts.filter(({ tag }) => tag < 0);
  const tagged = parts.filter(({ tag }) => tag >= 0);
  const defaults = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.fallback]));
  return {
    read(reader) {
      const value: Record<string, unknown> = { ...defaults };
      for (const part of untagged) value[part.name] = part.read(reader);
      if (flexible) readTagged(reader, tagged, value);
      return value as ValueOf<F>;
    },
    write(writer, given) {
      const value = given as Record<string, unknown>;
      for (const part of untagged) part.write(writer, value[part.name] ?? part.fallback);
      if (flexible) writeTagged(writer, tagged, value);
    },
  };
}

function readTagged(reader: Reader, parts: Part[], value: Record<string, unknown>): void {
  for (let count = reader.elements(reader.unsignedVarint()); count > 0; count--) {
    const tag = reader.unsignedVarint();
    const length = reader.unsignedVarint();
    const part = parts.find((one) => one.tag === tag);
    if (length > reader.left) throw new MalformedError('a tagged field exceeds the frame');
    const end = reader.at + length;
    if (part) value[part.name] = part.read(reader);
    else reader.skip(length);
    if (reader.at !== end) throw new MalformedError('a tagged field has a wrong length');
  }
}

// A tagged field that has its default is omitted.
function writeTagged(writer: Writer, parts: Part[], value: Record<string, unknown>): void {
  const present = parts.filter(({ name }) => value[name] !== undefined && value[name] !== null);
  writer.unsignedVarint(present.length);
  for (const part of present) {
    const content = new Writer();
    part.write(content, value[part.name]);
    writer.unsignedVarint(part.tag);
    writer.unsignedVarint(content.length);
    writer.append(content);
  }
}
