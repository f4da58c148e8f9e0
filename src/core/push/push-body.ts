// The body of a push by its headers: how it is compressed, and of which type it is.

export type PushCoding = 'identity' | 'snappy' | 'gzip' | 'zstd' | 'deflate';

const codings: Record<string, PushCoding> = {
  identity: 'identity',
  snappy: 'snappy',
  'x-snappy-framed': 'snappy', // distinguished by its first bytes
  gzip: 'gzip',
  'x-gzip': 'gzip',
  zstd: 'zstd',
  deflate: 'deflate',
};

// Undefined: an unknown coding. `silent`: the coding of a body without the header.
export function codingOf(contentEncoding: string | undefined, silent: PushCoding): PushCoding | undefined {
  const named = (contentEncoding ?? '').trim().toLowerCase();
  if (named === '') return silent;
  return Object.hasOwn(codings, named) ? codings[named] : undefined;
}

export function mediaTypeOf(contentType: string): { type: string; parameters: Map<string, string> } {
  const [type = '', ...rest] = contentType.split(';').map((part) => part.trim());
  const parameters = rest.map((part): [string, string] => {
    const [name = '', value = ''] = part.split('=', 2).map((side) => side.trim());
    return [name.toLowerCase(), value.replace(/^"(.*)"$/, '$1')];
  });
  return { type: type.toLowerCase(), parameters: new Map(parameters) };
}

// The whole push can't be read, and nothing of it is kept. Decoders throw nothing else.
export class UnreadablePush extends Error {
  readonly tooLarge: boolean;

  constructor(message: string, tooLarge = false) {
    super(message);
    this.tooLarge = tooLarge;
  }
}
