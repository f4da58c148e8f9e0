// Phrases that a reader must read twice, and what to write instead. A space in a phrase matches a line break too.

export const phrases: { phrase: RegExp; instead: string }[] = [
  {
    phrase: /\b(?:is|are|was|were|be|been|being|gets?) told\b(?! apart)/,
    instead: 'Name the verb: is reported, is returned, is shown, is acknowledged.',
  },
  { phrase: /\btold (?:apart|from)\b/, instead: 'X distinguishes A from B.' },
  {
    phrase: /\btells?\b(?! (?:you|us|them|him|her|me|the (?:user|caller|client|reader)|how|wh\w+)\b)/,
    instead: 'reports, returns, shows, logs.',
  },
  { phrase: /\bwho(?:so)?ever\b/, instead: 'The actor: the caller, the client, the user, another contract.' },
  { phrase: /\bstands?\b(?! (?:for|by|out|alone|in for)\b|-in)/, instead: 'is, is stored, is listed, remains.' },
  {
    phrase:
      /(?<!\b[Tt]here )\b(?:is|are|was|were) no (?!(?:longer|more|less|fewer|such|better|different|other|one)\b)[a-z]+/,
    instead: 'is not a valid X, is not an X, X does not exist, no X.',
  },
  {
    // "multiples of its own step" is fine, "a step of its own" is not
    phrase:
      /\bof (?:its|their|his|our) own\b(?! (?!(?:and|or|for|in|with|to|which|that|is|at|on|as|by|if|when|from)\b)[a-z])/,
    instead: 'its own X, a separate X.',
  },
  { phrase: /\banew\b/, instead: 'again.' },
  { phrase: /\b[Tt]hings?\b/, instead: 'The noun: resource, file, record, row, request.' },
  { phrase: /\b[Bb]esides?\b/, instead: 'next to, also, except.' },
  { phrase: /\b[Mm]eanwhile\b/, instead: 'in the meantime, at the same time.' },
  {
    phrase: /(?<=(?:^|[.;:(\0])\s*)What (?:is|was|has|a|an|the|it|they|others|may|can|must)\b(?![^.]*\?)/m,
    instead: 'The noun itself: "The data folder", not "What is on the disk".',
  },
  {
    phrase: /\bupon which\b|\bfor want of\b|\bin other hands\b/,
    instead: 'and then, because of a lack of, elsewhere.',
  },
  { phrase: /\blets? (?:us|it|them) in\b/, instead: 'accepts, allows.' },
  { phrase: /\bsay --/, instead: 'Pass --option.' },
  { phrase: /\bthe same of\b/, instead: 'the same for, likewise.' },
  { phrase: /\bso long as\b/, instead: 'while, as long as.' },
  { phrase: /\bas it (?:came|comes|is)\b/, instead: 'unchanged, raw.' },
  { phrase: /\b[Ss]hall\b/, instead: 'must, is to, or the present tense.' },
  { phrase: /\bwould pass it\b/, instead: 'would exceed it.' },
  { phrase: /\bit was (?:asked|said|wanted)\b/, instead: 'was requested.' },
  {
    // as a word of a sentence; user names in tests are fine
    phrase: /\b(?:[Nn]obody|[Ss]omebody|[Ss]omeone else)(?= [a-z])|(?<=[a-z] )(?:nobody|somebody|someone else)\b/,
    instead: 'no one, another client, a named actor.',
  },
  { phrase: /\b(?:goes|go) (?:on|away)\b/, instead: 'continues, is deleted, stops, disconnects.' },
  { phrase: /\bis left (?:as|alone|out)\b/, instead: 'remains unchanged, is omitted.' },
];

// Texts that clients match, or that come from the platform or another product.
export const exempt: { text: string; from: string }[] = [
  { text: 'nobody:', from: "the user with the fewest rights in Linux's /etc/passwd" },
  { text: '\0stands\0', from: 'the key of the lock path in journal rows of earlier versions' },
];

// Names in code that do not explain themselves. Properties are not checked: answers and stored rows have them.
export const names: { name: RegExp; instead: string }[] = [
  {
    name: /(?:\b(?:type|interface|class)\s+|<)(?:Told|Asked|Shown|Thing|Standing|Along)(?:[A-Z]\w*)?\b/g,
    instead: 'The noun: ResourceBody, QueryRequest, RequestOptions, TokenView.',
  },
  { name: /(?<![.\w$#])#?told\b(?!\s*\??:)/g, instead: 'answer, body, output, report, messages, outcome, expected.' },
  {
    name: /(?<![.\w$#])#?asked\b(?!\s*\??:)/g,
    instead: 'request, requested, query, parameters, options, requests, pending.',
  },
  { name: /(?<![.\w$#])#?things?\b(?!\s*\??:)/g, instead: 'The noun: resource, file, record, row.' },
  { name: /(?<![.\w$#])#?standing\b(?!\s*\??:)/g, instead: 'existing, stored, rows, previous.' },
];
