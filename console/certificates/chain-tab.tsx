// The tab Chain of a certificate: names, issuers, keys and validity of each certificate.
import { useResource } from '../components/resource.ts';
import { Loaded } from '../components/states.tsx';
import { Badge, Time } from '../components/text.tsx';
import type { TabProps } from '../resources/extension.ts';
import { type ChainCertificate, readChain, validityOf } from './chain.ts';

export function ChainTab({ item, facts }: TabProps) {
  const { certificate, certificateChain } = item.properties;
  const chain = useResource((signal) => readChain(`${certificate}\n${certificateChain}`, signal));
  const nowMs = Date.parse(facts.clock.now);
  return (
    <Loaded resource={chain} what="the chain">
      {(all) => (
        <ol class="ce-chain">
          {all.map((one, at) => (
            <li key={one.fingerprint}>
              <Certificate certificate={one} isLeaf={at === 0} nowMs={nowMs} />
            </li>
          ))}
        </ol>
      )}
    </Loaded>
  );
}

interface CertificateProps {
  certificate: ChainCertificate;
  isLeaf: boolean;
  nowMs: number;
}

function Certificate({ certificate: one, isLeaf, nowMs }: CertificateProps) {
  const { look, text, share } = validityOf(one, nowMs);
  const role = isLeaf ? 'Certificate' : one.isSelfSigned ? 'Root' : 'Intermediate';
  return (
    <article class="ce-certificate">
      <h3>
        <bdi>{one.commonName || one.subject}</bdi> <Badge look="old" text={role} /> <Badge look={look} text={text} />
        {one.isSigned === false && <Badge look="fires" text="Not signed by the next" />}
      </h3>
      <progress class="ce-validity" max={1} value={share} aria-label={`Validity: ${text}`} />
      <dl>
        <dt>Valid</dt>
        <dd>
          <Time iso={one.notBefore} /> – <Time iso={one.notAfter} />
        </dd>
        {one.subjectAlternativeNames.length > 0 && (
          <>
            <dt>Names</dt>
            <dd>
              <ul class="ce-names">
                {one.subjectAlternativeNames.map((name) => (
                  <li key={name}>{name}</li>
                ))}
              </ul>
            </dd>
          </>
        )}
        <dt>Subject</dt>
        <dd>{one.subject}</dd>
        <dt>Issuer</dt>
        <dd>{one.isSelfSigned ? 'Itself' : one.issuer}</dd>
        <dt>Key</dt>
        <dd>{one.key}</dd>
        <dt>Serial number</dt>
        <dd>
          <code>{one.serialNumber}</code>
        </dd>
        <dt>SHA-256</dt>
        <dd>
          <code>{one.fingerprint}</code>
        </dd>
      </dl>
    </article>
  );
}
