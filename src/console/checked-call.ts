// The question of a page whether its user may make a call, and the answer. The web app reads these types, too.

export interface CheckedCall {
  method: string;
  path: string; // with the prefix of the service
}

export interface RefusedCall {
  kind: string; // of the fault: `forbidden`, or `missing`
  message: string;
  privilege?: string; // the missing one
}

export const maxCalls = 200; // in one question
