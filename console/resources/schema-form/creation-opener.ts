// Opens the dialog that creates a resource for a field. Pages and dialogs with a form provide it, because that dialog
// contains a form itself.
import { createContext } from 'preact';
import type { Creation } from './choice-source.ts';

export type OpenCreation = (creation: Creation, onCreated: () => Promise<void>) => void;

export const CreationOpener = createContext<OpenCreation | undefined>(undefined);
