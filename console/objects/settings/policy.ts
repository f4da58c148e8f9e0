// The policy of a bucket as text: JSON syntax check, and templates for common policies.

export interface PolicyProblem {
  message: string;
  line: number | undefined;
}

// The checks that don't need the region.
export function policyProblem(text: string): PolicyProblem | undefined {
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error), line: wrongLine(text) };
  }
  if (typeof value !== 'object' || value === null || !('Statement' in value))
    return { message: 'A policy must be an object with a Statement.', line: undefined };
  return undefined;
}

// Not all browsers report the place of a syntax error. It follows the longest prefix that could still become JSON.
function wrongLine(text: string): number {
  let [good, bad] = [0, text.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (couldGoOn(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  return text.slice(0, bad).split('\n').length;
}

function couldGoOn(beginning: string): boolean {
  try {
    JSON.parse(beginning);
    return true;
  } catch (error) {
    const { message } = error as Error;
    const at = /position (\d+)/.exec(message)?.[1];
    return /end of|[Uu]nterminated/.test(message) || Number(at) >= beginning.length;
  }
}

const policy = (statement: object): string =>
  JSON.stringify({ Version: '2012-10-17', Statement: [statement] }, null, 2);

export const policyTemplates: readonly { title: string; text(bucket: string): string }[] = [
  {
    title: 'Public read',
    text: (bucket) =>
      policy({
        Sid: 'PublicRead',
        Effect: 'Allow',
        Principal: '*',
        Action: ['s3:GetObject'],
        Resource: [`arn:aws:s3:::${bucket}/*`],
      }),
  },
  {
    title: 'Read by another contract',
    text: (bucket) =>
      policy({
        Sid: 'OtherContract',
        Effect: 'Allow',
        Principal: { AWS: ['arn:aws:iam::31000002:root'] },
        Action: ['s3:GetObject', 's3:ListBucket'],
        Resource: [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`],
      }),
  },
  {
    title: 'Restrict IP addresses',
    text: (bucket) =>
      policy({
        Sid: 'OnlyFromHere',
        Effect: 'Deny',
        Principal: '*',
        Action: 's3:*',
        Resource: [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`],
        Condition: { NotIpAddress: { 'aws:SourceIp': ['127.0.0.1/32', '10.0.0.0/8'] } },
      }),
  },
];

export function formatted(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
