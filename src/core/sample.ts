// A valid creation of a resource: the examples of its properties, and the additions of its declaration. Sweeps and
// crash tests create one of each declared resource with it, after the resources that it needs.
import type { Values } from '../base/json.ts';
import type { Neighbour, Resource } from './resource.ts';

export function sampleProperties(resource: Resource, near: (role: string) => Neighbour, unique: string): Values {
  const settable = Object.entries(resource.properties).filter(([, one]) => !one.serverFilled && !one.derived);
  const examples = settable.flatMap(([name, { example }]) => (example === undefined ? [] : [[name, example]]));
  return { ...Object.fromEntries(examples), ...resource.sample?.properties?.(near, unique) };
}
