import type { OperationName } from '#shared/contract/routes.ts';
import { deliveryOperations } from './operations/delivery-operations.ts';
import type { OperationDetails } from './operations/operation-details.ts';
import { otherOperations } from './operations/other-operations.ts';
import { resultOperations } from './operations/result-operations.ts';
import { webhookOperations } from './operations/webhook-operations.ts';

export const operationDetails: Readonly<Record<OperationName, OperationDetails>> = {
  ...webhookOperations,
  ...deliveryOperations,
  ...resultOperations,
  ...otherOperations,
};
