// What would be lost with a page or a dialog that is left: a form that was changed and not sent, a secret that nobody
// has kept yet. A page has one set of drafts, and each dialog its own.
import { createContext } from 'preact';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';

export interface LeaveQuestion {
  title: string;
  text: string;
  leave: string; // the text of the button
  stay: string;
}

interface Draft {
  isUnsaved(): boolean;
  question: LeaveQuestion;
}

const everything = new Set<Draft>();

export class Drafts {
  readonly #own = new Set<Draft>();

  add(draft: Draft): () => void {
    this.#own.add(draft);
    everything.add(draft);
    return () => this.#drop(draft);
  }

  // What to ask before it is left; undefined: nothing would be lost.
  get question(): LeaveQuestion | undefined {
    return questionOf(this.#own);
  }

  // The user leaves without them.
  drop(): void {
    for (const draft of this.#own) this.#drop(draft);
  }

  #drop(draft: Draft): void {
    this.#own.delete(draft);
    everything.delete(draft);
  }
}

const questionOf = (drafts: ReadonlySet<Draft>): LeaveQuestion | undefined =>
  [...drafts].find((one) => one.isUnsaved())?.question;

// Of the page and of all dialogs.
export const questionOfAll = (): LeaveQuestion | undefined => questionOf(everything);
export const dropAll = (): void => everything.clear();

export const pageDrafts = new Drafts();
export const DraftScope = createContext(pageDrafts);

const ofForms: LeaveQuestion = {
  title: 'Leave without saving?',
  text: 'What you have changed in this form is lost.',
  leave: 'Leave',
  stay: 'Keep editing',
};

export interface DraftProps {
  isUnsaved(): boolean;
  question?: LeaveQuestion;
}

// Stands inside the form or the dialog that it is about.
export function Draft({ isUnsaved, question = ofForms }: DraftProps): null {
  const drafts = useContext(DraftScope);
  const current = useRef(isUnsaved);
  current.current = isUnsaved;
  useLayoutEffect(() => drafts.add({ isUnsaved: () => current.current(), question }), []);
  return null;
}
