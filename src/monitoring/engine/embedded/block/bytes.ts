// A growing byte buffer for writing, and a cursor for reading. Numbers are varints of seven bits per byte; they exceed
// 32 bits, so arithmetic is used instead of shifts.

export class ByteWriter {
  data: Uint8Array;
  length = 0;

  constructor(capacity = 4096) {
    this.data = new Uint8Array(capacity);
  }

  // Reserves space for this many more bytes; `data` may be another array afterwards.
  reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.data.length) return;
    const grown = new Uint8Array(Math.max(needed, this.data.length * 2));
    grown.set(this.data.subarray(0, this.length));
    this.data = grown;
  }

  byte(value: number): void {
    this.reserve(1);
    this.data[this.length++] = value;
  }

  varint(value: number): void {
    this.reserve(8);
    let rest = value;
    while (rest >= 128) {
      this.data[this.length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.data[this.length++] = rest;
  }

  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  bytes(source: Uint8Array): void {
    this.reserve(source.length);
    this.data.set(source, this.length);
    this.length += source.length;
  }

  written(): Uint8Array {
    return this.data.subarray(0, this.length);
  }
}

export class ByteCursor {
  readonly data: Uint8Array;
  at: number;

  constructor(data: Uint8Array, at = 0) {
    this.data = data;
    this.at = at;
  }

  byte(): number {
    if (this.at >= this.data.length) throw new RangeError('the bytes end too early');
    return this.data[this.at++] as number;
  }

  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }

  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}
