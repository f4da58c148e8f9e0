// The bytes are not valid in their format, or expand beyond the limit.
export class CompressionError extends Error {
  readonly tooLarge: boolean;

  constructor(message: string, tooLarge = false) {
    super(message);
    this.tooLarge = tooLarge;
  }
}

export const tooLarge = (mostBytes: number): CompressionError =>
  new CompressionError(`it expands to more than ${mostBytes} bytes`, true);
