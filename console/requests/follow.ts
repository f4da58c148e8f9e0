// Follows an accepted change: a message with a link to the request stays until the request ends. A failure shows the
// reason and that link, and a link to the form that repeats the request.
import { ApiError, isAborted } from '../api.ts';
import { failureToast, lastingToast, toast } from '../components/toast.tsx';
import { requestUrl } from '../urls.ts';
import { awaitEnd } from './requests-api.ts';

export const retryText = 'Edit and retry';

// `what`: `Create server web-1`. Resolves with true if the request succeeded.
export async function followRequest(id: string, what: string, retryUrl?: string): Promise<boolean> {
  const link = { text: 'Request', url: requestUrl(id) };
  const retry = retryUrl === undefined ? [] : [{ text: retryText, url: retryUrl }];
  const done = lastingToast(`${what} …`, link);
  try {
    const { state, message } = await awaitEnd(id);
    if (state === 'DONE') toast(`${what}: done`, link);
    else failureToast(new ApiError(422, [{ errorCode: '', message: `${what} failed: ${message}` }]), ...retry, link);
    return state === 'DONE';
  } catch (error) {
    if (!isAborted(error) && !(error instanceof ApiError && error.status === 401)) failureToast(error, link);
    return false;
  } finally {
    done();
  }
}
