// The tiny model's own tokenizer: a token is up to six letters with the space before them, up to three digits, a run
// of spaces, or one other character. Joined, tokens are the text again.
import { hashOf } from './random.ts';

const tokenForm = / ?[\p{L}\p{M}]{1,6}| ?\p{N}{1,3}|\s+|[^\p{L}\p{M}\p{N}\s]/gu;

export const tokensOf = (text: string): string[] => text.match(tokenForm) ?? [];

// At most `most` tokens: megabytes of text would block the whole region.
export function countTokens(text: string, most = Number.POSITIVE_INFINITY): number {
  tokenForm.lastIndex = 0;
  let count = 0;
  while (count < most && tokenForm.exec(text) !== null) count += 1;
  return count;
}

// The number by which `logit_bias` names a token.
export const tokenId = (token: string): number => hashOf(token) & 0xff_ffff;
