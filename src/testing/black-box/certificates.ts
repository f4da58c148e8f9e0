// Authorities and certificates for the servers that tests start.
export { type CertificatePair, createAuthority, issueCertificate } from '../../base/certificate.ts';
export { sampleCertificate } from '../../certificates/resources/sample-certificate.ts';
