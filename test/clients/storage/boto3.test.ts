// boto3, the AWS SDK for Python, in a script.
import { join } from 'node:path';
import { test } from 'node:test';
import { limits } from '../../../src/testing/limits.ts';
import { makeStorageKey, storageUrl } from '../../harness/objects.ts';
import { startRegion } from '../../harness/region.ts';
import { find, pythonWith } from '../install.ts';
import { mustRun, workFolder } from '../run.ts';

const python = find('CUMULET_PYTHON', 'python3');

test('[OBJ-01] boto3 does what its users do', { skip: python.skip ?? false }, async (t) => {
  const program = await pythonWith(python.path ?? '', 'boto3');
  await using region = await startRegion();
  const { accessKeyId, secretAccessKey } = await makeStorageKey(region);
  await mustRun([program, join(import.meta.dirname, 'boto3_flow.py')], {
    cwd: workFolder(t),
    env: {
      AWS_ENDPOINT_URL_S3: storageUrl(region),
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_DEFAULT_REGION: 'eu-central-3',
    },
    limitMs: limits.clientSuite,
  });
});
