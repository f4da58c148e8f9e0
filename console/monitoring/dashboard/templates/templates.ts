// All templates, in the order of the menu.
import { balancers, machines } from './compute-templates.ts';
import { region } from './region-template.ts';
import { brokers, buckets } from './storage-templates.ts';
import type { Template } from './template.ts';

export const templates: readonly Template[] = [machines, balancers, brokers, buckets, region];
