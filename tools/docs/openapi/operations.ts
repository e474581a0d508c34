import { credentialRecord } from '#shared/contract/records/credential.ts';
import type { OperationName } from '#shared/contract/routes.ts';
import { deliveryOperations } from './operations/delivery-operations.ts';
import type { Operation, OperationDetails } from './operations/operation-details.ts';
import { resultOperations } from './operations/result-operations.ts';
import { webhookOperations } from './operations/webhook-operations.ts';

export const operationDetails: Readonly<Record<OperationName, OperationDetails>> = {
  ...tagged('Webhooks', webhookOperations),
  ...tagged('Deliveries', deliveryOperations),
  ...tagged('Results', resultOperations),
  ...tagged('Credentials', {
    getCredential: {
      description:
        'Reads who the credential of this request acts for, and when it ends. The console shows both. It is one request ' +
        'of the limit, like every other.',
      success: 'The caller.',
      response: credentialRecord,
    },
  }),
  ...tagged('Documentation', {
    getProblemPage: {
      description:
        'The page about a problem code, for people. The `type` of every problem document links to it.',
      success: 'The page, as HTML.',
      response: 'html',
    },
  }),
};

function tagged<Name extends OperationName>(
  tag: OperationDetails['tag'],
  operations: Readonly<Record<Name, Operation>>,
): Readonly<Record<Name, OperationDetails>>;
function tagged(tag: OperationDetails['tag'], operations: Readonly<Record<string, Operation>>) {
  return Object.fromEntries(Object.entries(operations).map(([name, each]) => [name, { ...each, tag }]));
}
