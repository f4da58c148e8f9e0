// The tracestate header: a list of members with keys of vendors. A list that breaks a rule is ignored as a whole.
const mostMembers = 32;
const key = /^(?:[a-z0-9][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})$/;
const value = /^[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

export function traceStateOf(text: string): string | undefined {
  const members = text
    .split(',')
    .map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((member) => member !== '');
  const keys = new Set<string>();
  for (const member of members) {
    const cut = member.indexOf('=');
    const name = member.slice(0, cut);
    if (cut < 0 || !key.test(name) || !value.test(member.slice(cut + 1)) || keys.has(name)) return undefined;
    keys.add(name);
  }
  return members.length === 0 || members.length > mostMembers ? undefined : members.join(',');
}
