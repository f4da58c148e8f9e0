// GET …/users/{userId}/access returns the cluster's CA certificate and the user's certificate and key. A certificate
// that ends soon is replaced by a new one; the old one stays valid until its end.
import type { CertificatePair } from '../../base/certificate.ts';
import type { Values } from '../../base/json.ts';
import { pathOf, type Resource } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import { textSchema } from '../../surface/docs/openapi.ts';
import { type Exchange, json, type Reply, type Route } from '../../surface/http/exchange.ts';
import { type Machinery, viewOf } from '../../surface/machinery.ts';
import { regionalSchema, shownRegional } from '../../surface/regional-dialect/envelope.ts';
import { findRegional } from '../../surface/regional-dialect/find.ts';
import { certificatesOf, cluster } from '../clusters/cluster.ts';
import { user } from '../clusters/user.ts';
import type { StreamingTools } from '../tools.ts';
import { issueUserCertificate, needsRenewal } from './certificates.ts';

export const accessRoute = (machinery: Machinery, tools: StreamingTools): Route => ({
  method: 'GET',
  path: `/clusters/{${cluster.name}Id}/users/{${user.name}Id}/access`,
  operation: `${user.name}_access`,
  summary: 'Read the certificate and key by which Kafka clients connect as this user',
  replySchema: regionalSchema(user as Resource, {
    certificateAuthority: { ...textSchema, description: 'PEM: the CA that signs the certificates of the brokers' },
    certificate: { ...textSchema, description: 'PEM: valid for 365 days, replaced 30 days before it expires' },
    privateKey: { ...textSchema, description: 'PEM, PKCS#8' },
  }),
  resolve: (x) => findRegional(machinery, x, [cluster as Resource], user as Resource, 'get'),
  call: (x) => access(machinery, tools, x),
});

async function access(machinery: Machinery, tools: StreamingTools, x: Exchange): Promise<Reply> {
  const [above, row] = x.rows as [Row, Row];
  const { authority } = certificatesOf(above, tools.seal);
  const pair = await currentPair(machinery, tools, row, authority);
  const shown = await shownRegional(await viewOf(machinery, x, pathOf(row)), user as Resource, row, {
    certificateAuthority: authority.certificate,
    certificate: pair.certificate,
    privateKey: pair.key,
  });
  return json(200, { ...shown, href: `${shown.href}/access` }, ['Cache-Control', 'no-store']);
}

async function currentPair(
  { store }: Machinery,
  { seal, realNow }: StreamingTools,
  found: Row,
  authority: CertificatePair,
): Promise<CertificatePair> {
  return store.change(async () => {
    const row = (await store.at(found.contract, pathOf(found))) ?? found;
    const hidden = JSON.parse(row.hidden) as Values & { sealed: string };
    const pair = JSON.parse(seal.open(hidden.sealed)) as CertificatePair;
    if (!needsRenewal(pair, realNow())) return { writes: [], value: pair };
    const { name } = JSON.parse(row.body) as { name: string };
    const renewed = await issueUserCertificate(authority, name, realNow);
    const next = { ...row, hidden: JSON.stringify({ ...hidden, sealed: seal.close(JSON.stringify(renewed)) }) };
    return { writes: [{ op: 'update', table: 'resource', row: next }], value: renewed };
  });
}
