// A field that is one text or a list of texts.
import { Fault } from '../../base/fault.ts';
import type { Fields } from './fields.ts';

export function textsIn(fields: Fields, name: string, most: number): string[] {
  const value = fields.raw(name);
  if (typeof value === 'string') return [fields.checked(name, value)];
  const list = fields.list(name, most);
  if (list === undefined) throw fields.refuse(name, 'it is required');
  if (list.length === 0) throw fields.refuse(name, 'at least one text is needed');
  return list.map((one) => {
    if (typeof one === 'string') return fields.checked(name, one);
    throw typeof one === 'number' || Array.isArray(one)
      ? tokenInput(name)
      : fields.refuse(name, 'a string or a list of strings is expected');
  });
}

// Token numbers are valid only for the tokenizer that created them, which is never this model's.
const tokenInput = (name: string): Fault =>
  new Fault(
    'refused',
    `[(root).${name}] Token numbers of another tokenizer can't be read. Send texts. ` +
      'LangChain sends texts with check_embedding_ctx_length=False.',
    { code: 'token_input' },
  );
