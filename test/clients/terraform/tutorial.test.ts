// The tutorial with Terraform instead of a seed.
import { test } from 'node:test';
import { limits } from '../../../src/testing/limits.ts';
import { isFull } from '../../../src/testing/seed.ts';
import { walkThrough } from '../../cli/documents.ts';
import { workFolder } from '../run.ts';
import { offline, skip } from './terraform.ts';

test('the tutorial works with Terraform', { skip: isFull ? skip : 'runs with ./cumulet test --full' }, (t) =>
  walkThrough('docs/tutorial.md', { needs: ['terraform'], env: offline(workFolder(t)), limitMs: limits.clientSuite }),
);
