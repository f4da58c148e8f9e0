// Drafts: changes that are lost when the user leaves a page or dialog, such as an edited form or a secret that was not
// copied. The page has one set of drafts, and each dialog its own.
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

  // The question before leaving; undefined if nothing would be lost.
  get question(): LeaveQuestion | undefined {
    return questionOf(this.#own);
  }

  // Discards the drafts because the user leaves.
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

// The question for the page and all dialogs.
export const questionOfAll = (): LeaveQuestion | undefined => questionOf(everything);
export const dropAll = (): void => everything.clear();

export const pageDrafts = new Drafts();
export const DraftScope = createContext(pageDrafts);

const ofForms: LeaveQuestion = {
  title: 'Leave without saving?',
  text: 'Your changes in this form will be lost.',
  leave: 'Leave',
  stay: 'Keep editing',
};

export interface DraftProps {
  isUnsaved(): boolean;
  question?: LeaveQuestion;
}

// Registers a draft for the form or dialog that contains it.
export function Draft({ isUnsaved, question = ofForms }: DraftProps): null {
  const drafts = useContext(DraftScope);
  const current = useRef(isUnsaved);
  current.current = isUnsaved;
  useLayoutEffect(() => drafts.add({ isUnsaved: () => current.current(), question }), []);
  return null;
}
