// Two buffers that take turns in one download: a piece is sent from one while the next piece is read into the other.
// With a new buffer for each piece, the garbage collector traverses the whole heap after every 28 MB.
export class ReadBuffers {
  readonly #buffers: Buffer[] = [];
  #turn = 0;

  next(bytes: number): Buffer {
    this.#turn = 1 - this.#turn;
    let buffer = this.#buffers[this.#turn];
    if (!buffer || buffer.length < bytes) {
      buffer = Buffer.allocUnsafeSlow(bytes);
      this.#buffers[this.#turn] = buffer;
    }
    return buffer;
  }
}
