// The code and the message of a refusal. The answer to a HEAD has no body, and a server may answer without them.
export function s3Error(text: string): { code: string; message: string } {
  const [, code = ''] = /<Code>([^<]{1,100})<\/Code>/.exec(text) ?? [];
  const [, message = ''] = /<Message>([^<]*)<\/Message>/.exec(text) ?? [];
  return { code, message };
}
