// One difference between a region (here) and the contract of another platform (there).
import type { Json } from '../../base/json.ts';

export interface Difference {
  section: string;
  resource: string; // server
  path: string[]; // the names of the item and of those that contain it
  difference: 'only here' | 'only there' | 'changed';
  property?: string;
  here?: Json; // values, with names instead of ids
  there?: Json;
}
