// The error page of a website that has no own one.
import { STATUS_CODES } from 'node:http';
import type { Fault } from '../../../base/fault.ts';
import type { Reply } from '../../../surface/http/exchange.ts';
import { codeOf } from '../../wire/error.ts';
import { errorCode } from '../../wire/error-codes.ts';
import { escapeText } from '../../wire/xml/writer.ts';

export function errorPage(fault: Fault): Reply {
  const code = codeOf(fault);
  const { status } = errorCode(code);
  const title = `${status} ${STATUS_CODES[status] ?? ''}`;
  const body =
    `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1>` +
    `<ul><li>Code: ${code}</li><li>Message: ${escapeText(fault.message)}</li></ul></body></html>\n`;
  return { status, type: 'text/html; charset=utf-8', body };
}
