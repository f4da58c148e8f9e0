// The privileges that a group can have.
export { privileges } from '../../core/access.ts';
