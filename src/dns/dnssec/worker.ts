// The thread that signs record sets, hashes the names of NSEC3 chains and makes keys.
import { constants, generateKeyPairSync, sign } from 'node:crypto';
import { serveCalls } from '../../core/threads/worker-calls.ts';
import { nsec3Hash } from './denial.ts';
import type { SigningCalls } from './signing-threads.ts';

serveCalls<SigningCalls>({
  sign: ({ key, message }) => sign('sha256', message, { key, padding: constants.RSA_PKCS1_PADDING }),
  newKey: ({ bits }) =>
    String(generateKeyPairSync('rsa', { modulusLength: bits }).privateKey.export({ type: 'pkcs8', format: 'pem' })),
  hash: ({ names, salt, iterations }) => names.map((name) => nsec3Hash(name, salt, iterations)),
});
