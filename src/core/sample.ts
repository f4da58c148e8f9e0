// A creation of a resource that is accepted: the examples of its properties, and what its declaration says besides.
// Sweeps and crash tests make one of each declared resource by it, after what it needs.
import type { Values } from '../base/json.ts';
import type { Neighbour, Resource } from './resource.ts';

export function sampleProperties(resource: Resource, near: (role: string) => Neighbour, unique: string): Values {
  const settable = Object.entries(resource.properties).filter(([, one]) => !one.serverFilled && !one.derived);
  const examples = settable.flatMap(([name, { example }]) => (example === undefined ? [] : [[name, example]]));
  return { ...Object.fromEntries(examples), ...resource.sample?.properties?.(near, unique) };
}
