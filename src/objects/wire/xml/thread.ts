// The thread that reads large documents: the XML library needs a quarter of a second for ten thousand parts.
import { yieldToOthers } from '../../../core/threads/engine-thread.ts';
import { serveCalls } from '../../../core/threads/worker-calls.ts';
import { documentCalls } from './large-documents.ts';

yieldToOthers();
serveCalls(documentCalls);
