// Reads the body of a lab call by its properties.
import { Fault } from '../base/fault.ts';
import { isObject } from '../base/json.ts';
import { check, type Properties } from '../core/schema.ts';

export function checked(properties: Properties, body: unknown): { [name: string]: unknown } {
  const { values, problems } = check(properties, isObject(body) ? body : undefined, 'create', '(root)');
  if (problems.length) throw new Fault('refused', 'The request body is not acceptable.', { problems });
  return values;
}
