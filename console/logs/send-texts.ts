// How to create a log pipeline and to send lines to one: with curl and Fluent Bit.
export const keyWord = '<key>';

export const createText = (origin: string, region: string): string =>
  `curl -H "Authorization: Bearer $IONOS_TOKEN" ${origin}/${region}/logging/pipelines -d '{"properties":
  {"name":"shop", "logs":[{"source":"http","tag":"web"}, {"source":"docker","tag":"agent","protocol":"tcp"}]}}'`;

export const curlText = (address: string, tag: string, key: string): string =>
  `curl -H 'APIKEY: ${key}' -H 'Content-Type: application/json' \\
  ${address}/${tag} -d '{"level":"info","message":"it works"}'`;

export function fluentText(address: string, tag: string): string {
  const [host, port] = address.split(':');
  return `[OUTPUT]
    Name forward
    Match *
    Host ${host}
    Port ${port}
    tls on
    tls.ca_file ca.pem
    Shared_Key ${keyWord}
    Tag ${tag}
    Require_ack_response on`;
}

export function fluentHttpText(address: string, tag: string): string {
  const { hostname, port, protocol, pathname } = new URL(address);
  return `[OUTPUT]
    Name http
    Match *
    Host ${hostname}
    Port ${port || (protocol === 'https:' ? 443 : 80)}
    tls ${protocol === 'https:' ? 'on' : 'off'}
    URI ${pathname.replace(/\/$/, '')}/${tag}
    Format json
    Header APIKEY ${keyWord}`;
}
