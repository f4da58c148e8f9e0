// A certificate for samples of uploads, signed by itself for example.com. Its key protects nothing.
const certificate = `-----BEGIN CERTIFICATE-----
MIIBrDCCAVKgAwIBAgIUBVbqyIpxPewfyuqp1utJuVNXvE4wCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLZXhhbXBsZS5jb20wIBcNMjYxMTE3MTQ1ODU0WhgPMjEyNjEw
MjQxNDU4NTRaMBYxFDASBgNVBAMMC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAEnWkoBH8E0EhYxa+9ymnmBSNRn83U2y5PjVnH2qcT0nJlewtI
1CasTCDch7DYU1GmritvEJqnAemEECCNaYkxUqN8MHowHQYDVR0OBBYEFK1hGW1F
au8KlN/iJlovqac8gkyyMB8GA1UdIwQYMBaAFK1hGW1Fau8KlN/iJlovqac8gkyy
MA8GA1UdEwEB/wQFMAMBAf8wJwYDVR0RBCAwHoILZXhhbXBsZS5jb22CD3d3dy5l
eGFtcGxlLmNvbTAKBggqhkjOPQQDAgNIADBFAiB6B6QDmC7X1d0v6Olae7QiURKY
kN90+b5KtzrKvJCz3wIhAJkoqWcmTsTUiiSH2GRb/p46EgIXNnZmOW2DB8dFBety
-----END CERTIFICATE-----
`;

const privateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg27ZPc4VpuY/qoPp9
cJSFERHl0qfB8PNp9WahYTiJwRWhRANCAASdaSgEfwTQSFjFr73KaeYFI1GfzdTb
Lk+NWcfapxPScmV7C0jUJqxMINyHsNhTUaauK28QmqcB6YQQII1piTFS
-----END PRIVATE KEY-----
`;

export const sampleCertificate = { certificate, certificateChain: certificate, privateKey };
