// The platform's error message of a refused request, and when to try again.
import { ApiError, failureOf, jsonOf } from '../api.ts';

export async function refusalOf(response: Response): Promise<ApiError> {
  const failure = failureOf(response, await jsonOf(response));
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  if (!Number.isFinite(seconds)) return failure;
  const [first, ...others] = failure.problems;
  const message = `${first?.message ?? ''} Try again in ${seconds} s.`.trim();
  return new ApiError(failure.status, [{ errorCode: first?.errorCode ?? String(failure.status), message }, ...others]);
}
