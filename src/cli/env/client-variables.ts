// Which variables point which clients at a region.
//
// endpoint: ionosctl, Terraform, the Go SDK, Ansible read IONOS_API_URL
// proxy:    every client that honours HTTPS_PROXY and a bundle of roots, with the hosts it has built in
// config:   ionosctl and Terraform read an endpoint per product from a file

import type { ClientEndpoint } from '../../surface/product.ts';

export type Method = 'endpoint' | 'proxy' | 'config';

export interface Facts {
  gateway: string;
  proxy: string;
  token: string;
  bundle: string; // the system's roots and ours
  authority: string; // our CA, for clients that add it to the system's, plus the roots that the user has added
  configFile: string;
  direct: string; // hosts that bypass the proxy
  behindProxy: boolean; // this shell sends plain HTTP to some proxy already
  storage?: StorageFacts; // only on request: they replace the user's own
  openai?: boolean; // the same, for clients of OpenAI's API
}

export interface StorageFacts {
  url: string;
  accessKeyId: string;
  secretAccessKey: string;
}

interface Variable {
  name: string;
  value(facts: Facts): string | undefined; // undefined: not needed here
  readBy: string;
}

const token: Variable = { name: 'IONOS_TOKEN', value: (facts) => facts.token, readBy: 'all' };
// Programs read one case or the other, and differ in which wins.
const bothCases = (name: string, value: Variable['value'], readBy: string): Variable[] =>
  [name, name.toLowerCase()].map((one) => ({ name: one, value, readBy }));
const bundled = (name: string, readBy: string): Variable => ({ name, value: (facts) => facts.bundle, readBy });

const variablesByMethod: Record<Method, readonly Variable[]> = {
  endpoint: [
    { name: 'IONOS_API_URL', value: (facts) => facts.gateway, readBy: 'ionosctl, Terraform, Go SDK, Ansible' },
    { name: 'IONOS_API_URL_CERT', value: (facts) => facts.gateway, readBy: "Terraform's auto-certificates" },
    token,
    ...bothCases('NO_PROXY', (facts) => (facts.behindProxy ? facts.direct : undefined), 'all'),
  ],
  proxy: [
    ...bothCases('HTTPS_PROXY', (facts) => facts.proxy, 'all'),
    ...bothCases('NO_PROXY', (facts) => facts.direct, 'all'),
    { name: 'IONOS_HTTP_PROXY', value: (facts) => facts.proxy, readBy: 'Python SDK' },
    { name: 'NODE_USE_ENV_PROXY', value: () => '1', readBy: 'Node from 22.21: fetch and https' },
    { name: 'NODE_EXTRA_CA_CERTS', value: (facts) => facts.authority, readBy: 'Node' },
    bundled('SSL_CERT_FILE', 'OpenSSL, Go, Python, Ruby'),
    bundled('CURL_CA_BUNDLE', 'curl'),
    bundled('REQUESTS_CA_BUNDLE', 'Python requests'),
    bundled('AWS_CA_BUNDLE', 'AWS SDKs and command line'),
    token,
  ],
  config: [{ name: 'IONOS_CONFIG_FILE', value: (facts) => facts.configFile, readBy: 'ionosctl, Terraform' }, token],
};

const storageVariables: readonly Variable[] = [
  { name: 'AWS_ENDPOINT_URL_S3', value: ({ storage }) => storage?.url, readBy: 'AWS SDKs and command line' },
  { name: 'AWS_ACCESS_KEY_ID', value: ({ storage }) => storage?.accessKeyId, readBy: 'S3 clients' },
  { name: 'AWS_SECRET_ACCESS_KEY', value: ({ storage }) => storage?.secretAccessKey, readBy: 'S3 clients' },
  { name: 'AWS_REGION', value: ({ storage }) => storage && 'eu-central-3', readBy: 'AWS SDKs and command line' },
  { name: 'AWS_DEFAULT_REGION', value: ({ storage }) => storage && 'eu-central-3', readBy: 'boto3, aws-cli 1' },
  { name: 'IONOS_S3_ACCESS_KEY', value: ({ storage }) => storage?.accessKeyId, readBy: 'ionosctl, Terraform' },
  { name: 'IONOS_S3_SECRET_KEY', value: ({ storage }) => storage?.secretAccessKey, readBy: 'ionosctl, Terraform' },
];
const openAiVariables: readonly Variable[] = [
  {
    name: 'OPENAI_BASE_URL',
    value: ({ openai, gateway }) => (openai ? `${gateway}/inference/v1` : undefined),
    readBy: 'OpenAI SDKs, LangChain',
  },
  { name: 'OPENAI_API_KEY', value: ({ openai, token }) => (openai ? token : undefined), readBy: 'the same' },
  {
    name: 'OPENAI_API_BASE',
    value: ({ openai, gateway }) => (openai ? `${gateway}/inference/v1` : undefined),
    readBy: 'LlamaIndex, older clients',
  },
];
const conflictingOpenAi = ['OPENAI_ORG_ID', 'OPENAI_ORGANIZATION', 'OPENAI_PROJECT_ID'];
const conflictingStorage = ['AWS_SESSION_TOKEN', 'AWS_PROFILE', 'AWS_ENDPOINT_URL'];

// Settings for the real platform that would lead a client past this region, or make it fail here.
const conflicting = [
  'IONOS_API_URL',
  'IONOS_CONFIG_FILE',
  'IONOS_CURRENT_PROFILE',
  'IONOS_USERNAME', // the Node SDK takes these before the token
  'IONOS_PASSWORD',
  'IONOS_CONTRACT_NUMBER', // the token determines it
  'IONOS_PINNED_CERT',
  ...['CERT', 'LOGGING', 'MONITORING', 'OBJECT_STORAGE', 'OBJECT_STORAGE_MANAGEMENT', 'VPN', 'MARIADB', 'NFS'].map(
    (product) => `IONOS_API_URL_${product}`,
  ),
];

// What clients also need in their own code, because they do not read it from the environment.
export const notes: Record<Method, readonly string[]> = {
  endpoint: [
    'The Python SDK does not read IONOS_API_URL and would call the real cloud. So would the Node SDK, but for',
    'Configuration.fromEnv(), which expects /cloudapi/v6 at its end. Use --proxy, or name it in code:',
    "Python  Configuration(host=os.environ['IONOS_API_URL'] + '/cloudapi/v6', token=os.environ['IONOS_TOKEN'])",
    "Node    new Configuration({ basePath: process.env.IONOS_API_URL + '/cloudapi/v6', apiKey: process.env.IONOS_TOKEN })",
  ],
  proxy: [
    "The Python SDK needs its token and roots in code: c = Configuration(token=os.environ['IONOS_TOKEN']), and then",
    "c.ssl_ca_cert = os.environ['SSL_CERT_FILE']. All other clients need nothing else.",
  ],
  config: ['Only ionosctl and Terraform read this file; --proxy is for every client.'],
};

export function variables(method: Method, facts: Facts): { set: Record<string, string>; unset: string[] } {
  const rows = [...variablesByMethod[method], ...storageVariables, ...openAiVariables].flatMap(({ name, value }) => {
    const text = value(facts);
    return text === undefined ? [] : [[name, text] as const];
  });
  const set = Object.fromEntries(rows);
  const others = [
    ...conflicting,
    ...(facts.storage ? conflictingStorage : []),
    ...(facts.openai ? conflictingOpenAi : []),
  ];
  return { set, unset: others.filter((name) => !(name in set)) };
}

// All variables that any method may set or unset.
export const allVariables = (): string[] => [
  ...new Set([
    ...[...Object.values(variablesByMethod).flat(), ...storageVariables, ...openAiVariables].map(({ name }) => name),
    ...conflicting,
    ...conflictingStorage,
    ...conflictingOpenAi,
  ]),
];

// YAML, in which a JSON string is a string.
export function configFile(
  gateway: string,
  token: string,
  data: string,
  regions: readonly string[],
  products: readonly ClientEndpoint[],
): string {
  const text = JSON.stringify;
  const endpoint = (path: string, location?: string): string[] => [
    `          - name: ${text(gateway + path)}`,
    ...(location === undefined ? [] : [`            location: ${text(location)}`]),
    '            skipTlsVerify: false',
  ];
  const product = (name: string, endpoints: string[]): string[] => [
    `      - name: ${name}`,
    '        endpoints:',
    ...endpoints,
  ];
  const endpoints = products.flatMap(({ name, path, isRegional, locations = [] }) =>
    product(name, [
      ...(isRegional ? regions : []).flatMap((one) => endpoint(`/${one}${path}`, one.replaceAll('-', '/'))),
      ...locations.flatMap((one) => endpoint(path, one)),
      ...endpoint(path), // for clients that name no location
    ]),
  );
  return [
    `# The region on ${text(data)}, written by: cumulet env --config`,
    'version: 1.0',
    'currentProfile: cumulet',
    'profiles:',
    '  - name: cumulet',
    '    environment: cumulet',
    '    credentials:',
    `      token: ${text(token)}`,
    'environments:',
    '  - name: cumulet',
    '    products:',
    ...endpoints,
    '',
  ].join('\n');
}
