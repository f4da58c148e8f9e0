// One engine for each model: the queue before an engine knows it by its identity.

export function once<T>(make: (model: string) => T): (model: string) => T {
  const made = new Map<string, T>();
  return (model) => {
    if (!made.has(model)) made.set(model, make(model));
    return made.get(model) as T;
  };
}
