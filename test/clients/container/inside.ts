// Calls of a region from inside its container, with the owner's token: the tests' containers have no network.
export type Exec = (...command: string[]) => Promise<string>;

const script = `
const [method, path, token, body] = process.argv.slice(1);
const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json' };
const answer = await fetch('http://127.0.0.1:7070' + path, { method, headers, ...(body && { body }) });
if (!answer.ok) throw new Error(answer.status + await answer.text());
console.log(await answer.text());`;

export async function askInside(exec: Exec, method: string, path: string, body?: object): Promise<unknown> {
  const { token } = JSON.parse(await exec('cumulet', 'token', 'generate', '--json')) as { token: string };
  const sent = body === undefined ? [] : [JSON.stringify(body)];
  return JSON.parse(await exec('node', '--input-type=module', '-e', script, method, path, token, ...sent)) as unknown;
}
