// The routes of the user's own account. They accept console sessions only.
import { call } from '../api.ts';

export interface SecondFactor {
  isSetUp: boolean;
  isForced: boolean; // by an administrator
  since: string | null;
  recoveryCodesLeft: number;
}

export interface Enrolment {
  challenge: string; // sent back with the first code
  secret: string;
  uri: string; // the content of the QR code
}

export interface SessionEntry {
  id: string;
  startedDate: string;
  usedDate: string;
  expiresDate: string;
  address: string;
  agent: string;
  by: 'password' | 'token';
  hasSecondFactor: boolean;
  isCurrent: boolean;
}

export interface FactorOfUser {
  isSetUp: boolean;
  refusal: string | null; // why this administrator may not reset it, and who may
}

interface RecoveryCodes {
  recoveryCodes: string[];
}

const factor = '/console/second-factor';

export const secondFactor = (signal: AbortSignal): Promise<SecondFactor> =>
  call<SecondFactor>('GET', factor, { signal });
export const beginEnrolment = (password: string): Promise<Enrolment> =>
  call<Enrolment>('POST', factor, { body: { password } });
export const confirmEnrolment = async (challenge: string, code: string): Promise<string[]> =>
  (await call<RecoveryCodes>('PUT', factor, { body: { challenge, code } })).recoveryCodes;
export const switchOff = (code: string): Promise<void> => call('DELETE', factor, { body: { code } });
export const newRecoveryCodes = async (code: string): Promise<string[]> =>
  (await call<RecoveryCodes>('POST', `${factor}/recovery-codes`, { body: { code } })).recoveryCodes;

const ofUser = (id: string): string => `/console/users/${id}/second-factor`;
export const factorOfUser = (id: string, signal: AbortSignal): Promise<FactorOfUser> =>
  call<FactorOfUser>('GET', ofUser(id), { signal });
export const resetFactor = (id: string): Promise<void> => call('DELETE', ofUser(id));

export const listSessions = async (signal: AbortSignal): Promise<SessionEntry[]> =>
  (await call<{ sessions: SessionEntry[] }>('GET', '/console/sessions', { signal })).sessions;
export const endSession = (id: string): Promise<void> => call('DELETE', `/console/sessions/${id}`);
export const endOtherSessions = (): Promise<void> => call('DELETE', '/console/sessions');

export const changePassword = (password: string, newPassword: string): Promise<void> =>
  call('PUT', '/console/password', { body: { password, newPassword } });
