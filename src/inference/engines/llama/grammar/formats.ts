// Formats of strings as patterns. Each pattern is a subset of the format, so every match is valid. The example is for
// schemas that also have a pattern.
export interface Format {
  pattern: string;
  example: string;
}

const date =
  '(19|20)\\d\\d-((0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])|(0[469]|11)-(0[1-9]|[12]\\d|30)|02-(0[1-9]|1\\d|2[0-8]))';
const clock = '([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d';
const hex = (count: number): string => `[0-9a-f]{${count}}`;
const byte = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]\\d|\\d)';
const label = '[a-z0-9]{1,12}(-[a-z0-9]{1,8})?';
const host = `${label}(\\.${label}){0,1}\\.(com|org|net|eu|de|io)`;

const steps = '(/[a-z0-9_-]{1,20}){1,3}';

export const formats: Record<string, Format | undefined> = {
  date: { pattern: date, example: '2024-02-28' },
  time: { pattern: `${clock}Z`, example: '12:30:45Z' },
  'date-time': { pattern: `${date}T${clock}Z`, example: '2024-02-28T12:30:45Z' },
  duration: { pattern: 'P([1-9]\\d?D|T[1-9]\\d?[HMS])', example: 'P3D' },
  email: { pattern: `[a-z][a-z0-9]{1,15}([._][a-z0-9]{1,12})?@${host}`, example: 'ada.l@example.com' },
  hostname: { pattern: host, example: 'www.example.com' },
  uri: { pattern: `https?://${host}(/[a-z0-9_-]{1,20}){0,3}`, example: 'https://example.com/a/b' },
  uuid: {
    pattern: `${hex(8)}-${hex(4)}-4${hex(3)}-[89ab]${hex(3)}-${hex(12)}`,
    example: '123e4567-e89b-42d3-a456-426614174000',
  },
  byte: { pattern: '([A-Za-z0-9+/]{4}){1,8}', example: 'YWJj' }, // base64
  regex: { pattern: '[a-z0-9]{1,20}', example: 'abc' },
  'json-pointer': { pattern: steps, example: '/a/b' },
  'json-pointer-uri-fragment': { pattern: `#${steps}`, example: '#/a/b' },
  'relative-json-pointer': { pattern: `[0-9]${steps}`, example: '1/a' },
  ipv4: { pattern: `${byte}\\.${byte}\\.${byte}\\.${byte}`, example: '192.0.2.17' },
  ipv6: { pattern: `([0-9a-f]{1,4}:){7}[0-9a-f]{1,4}`, example: '2001:db8:0:0:0:0:0:1' },
};
formats['iso-time'] = formats.time;
formats['iso-date-time'] = formats['date-time'];
formats.url = formats.uri;
formats['uri-template'] = formats.uri;
formats['uri-reference'] = formats.uri;
formats.iri = formats.uri;
formats['idn-email'] = formats.email;
formats['idn-hostname'] = formats.hostname;
