import { createCustomerRequest, presentCustomer } from '#shared/contract/records/customer.ts';
import { createCustomerOnce } from '#shared/operations/operator/create-customer.ts';
import { CallRefused } from '#shared/runtime/operator-call.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { report } from '#shared/runtime/telemetry.ts';
import { operatorOperation, table } from '../../wiring/operator-operation.ts';

const create = createCustomerOnce({ table, now, randomBytes });

export const handler = operatorOperation(createCustomerRequest, async ({ public_name: publicName, ...given }) => {
  const created = await create({ ...given, publicName });
  if (created === null) {
    throw new CallRefused(
      'ReferenceInUse',
      'The customer with this `reference` is being deleted: call again when that has ended',
    );
  }
  if (created.isNew) {
    report({ name: 'operator.done', operation: 'createCustomer', customerId: created.customer.id });
  }
  return { ...presentCustomer(created.customer), created: created.isNew };
});
