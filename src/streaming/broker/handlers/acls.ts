// Access control lists: there are none. Every certificate of the cluster grants all operations, and the answers are
// those of a Kafka broker without an authorizer.
import { errorCodes } from '../wire/errors.ts';
import type { createAcls, deleteAcls, describeAcls } from '../wire/messages/acl.ts';
import type { Handler } from './handler.ts';

const disabled = {
  errorCode: errorCodes.SECURITY_DISABLED,
  errorMessage: 'No authorizer is configured: a certificate of the cluster gives access to all of it.',
};

export const handleDescribeAcls: Handler<typeof describeAcls> = () => ({ ...disabled, resources: [] });

export const handleCreateAcls: Handler<typeof createAcls> = ({ creations }) => ({
  results: creations.map(() => disabled),
});

export const handleDeleteAcls: Handler<typeof deleteAcls> = ({ filters }) => ({
  filterResults: filters.map(() => ({ ...disabled, matchingAcls: [] })),
});
