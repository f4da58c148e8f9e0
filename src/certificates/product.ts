// Certificates: uploads, and those that the region's own CA or ACME servers issue for names in the contract's DNS.
import { readFileSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { placesOf } from '../core/regional.ts';
import type { WriteSet } from '../core/state/engine.ts';
import { operatorCertificates } from '../surface/operator.ts';
import {
  assignedCertificates,
  certificateTargets,
  challengeRecords,
  consoleParts,
  consoleRoutes,
  contracts,
  heldCertificates,
  type Ports,
} from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { Assigned } from './assigned-certificates.ts';
import { chainRoute } from './console-chain.ts';
import { ownParts } from './console-parts.ts';
import { heldCertificatesOf } from './held-certificates.ts';
import { certificateResources, certificateService } from './index.ts';
import { acmeHttp } from './issuing/acme-http.ts';
import { AcmeIssuer } from './issuing/acme-issuer.ts';
import { EmbeddedAuthority } from './issuing/embedded-authority.ts';
import { Issuing, issuingFigures } from './issuing/issuing.ts';
import { isPublicAuthority } from './issuing/public-authorities.ts';
import { autoCertificate } from './resources/auto-certificate.ts';
import { certificate, markExpired } from './resources/certificate.ts';
import type { CertificateSettings } from './settings.ts';
import type { CertificateTools } from './tools.ts';

const embeddedIssuing = 'certificates-issuing';
const acmeIssuing = 'certificates-acme';

export function openCertificates(context: Context, ports: Ports, settings: CertificateSettings): Product {
  ports.add(consoleParts, ownParts);
  const { store, model, clock, secrets, reconcilers } = context;
  const tools: CertificateTools = {
    seal: secrets.seal,
    isEmbedded: (server) => !settings.asksPublic && isPublicAuthority(server),
    records: () => ports.find(challengeRecords),
  };
  const numbers = (): Promise<number[]> => ports.use(contracts).numbers();
  const http = acmeHttp(settings.acmeCa === undefined ? undefined : readCa(settings.acmeCa));
  const leaving = new AbortController();
  const acme = new AcmeIssuer({ store, tools, http, realNow: clock.real, leaving: leaving.signal });
  const authority = new EmbeddedAuthority(secrets, clock);
  const issuing = new Issuing({ ...context, tools, authority, acme, contracts: numbers });
  const held = heldCertificatesOf(store, secrets.seal);
  const targets = (): string[] => ports.list(certificateTargets).map(({ name }) => name);
  const assigned = new Assigned({ store, held, targets, now: clock.real, log: context.log });
  ports.fill(heldCertificates, held);
  ports.fill(assignedCertificates, assigned);
  ports.fill(operatorCertificates, assigned);
  ports.add(consoleRoutes, chainRoute);
  return {
    resources: model.add(certificateResources, tools),
    services: () => [certificateService(context)],
    reconcilers: [
      { name: embeddedIssuing, everyMs: 5000, run: () => issuing.run(true) },
      { name: acmeIssuing, everyMs: 5000, run: () => issuing.run(false) },
      {
        name: 'certificates-expiry',
        everyMs: 60_000,
        async run() {
          for (const contract of await numbers())
            for await (const row of store.each({ contract, below: placesOf(certificate) }))
              if (row.kind === certificate.name) await markExpired(store, row, clock.now());
          await assigned.tidy();
        },
      },
    ],
    figures: [{ of: 'cumulet_certificates', table: issuingFigures, read: () => issuing.figures() }],
    leave: () => leaving.abort(new Fault('conflict', 'The region is stopping.')), // does not count as a failed try
    async start() {
      // New auto-certificates are issued at once.
      store.follow((writes) => {
        if (!asksForOne(writes)) return;
        void reconcilers.nudge(embeddedIssuing);
        void reconcilers.nudge(acmeIssuing);
      });
    },
  };
}

const asksForOne = (writes: WriteSet): boolean =>
  writes.some(
    (write) => write.op === 'insert' && write.table === 'resource' && write.row.kind === autoCertificate.name,
  );

function readCa(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Fault('refused', `--acme-ca: ${file} can't be read.`, { cause: error });
  }
}
