// The request as code: with curl, and with OpenAI's Python client.
import type { ChatBody } from './request.ts';

export function curlText(url: string, body: ChatBody): string {
  const json = JSON.stringify({ ...body, stream: true }, undefined, 2).replaceAll("'", "'\\''");
  return `curl -N ${url}/chat/completions \\
  -H "Authorization: Bearer $OPENAI_API_KEY" -H 'Content-Type: application/json' \\
  -d '${json}'
`;
}

export function pythonText(url: string, body: ChatBody): string {
  const fields = Object.entries(body).map(([name, value]) => `    ${name}=${pythonOf(value, 1)},\n`);
  return `import os

from openai import OpenAI

client = OpenAI(base_url=${pythonOf(url, 0)}, api_key=os.environ["OPENAI_API_KEY"])
stream = client.chat.completions.create(
${fields.join('')}    stream=True,
)
for chunk in stream:
    if chunk.choices and chunk.choices[0].delta.content:
        print(chunk.choices[0].delta.content, end="", flush=True)
print()
`;
}

// A JSON value as Python code. JSON strings are valid Python strings, except for unpaired surrogates.
function pythonOf(value: unknown, depth: number): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed());
  if (typeof value !== 'object') return String(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const items = Array.isArray(value)
    ? value.map((one: unknown) => pythonOf(one, depth + 1))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${pythonOf(one, depth + 1)}`);
  if (items.length === 0) return `${open}${close}`;
  const indent = '    '.repeat(depth + 1);
  return `${open}\n${items.map((item) => `${indent}${item},\n`).join('')}${'    '.repeat(depth)}${close}`;
}
