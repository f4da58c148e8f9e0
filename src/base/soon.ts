// A value that may be there already. On hot paths what is known at once is not made to wait for a promise's turn.

export type Soon<T> = T | Promise<T>;

export const after = <A, B>(value: Soon<A>, next: (value: A) => Soon<B>): Soon<B> =>
  value instanceof Promise ? value.then(next) : next(value);
