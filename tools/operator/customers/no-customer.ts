import { nextCommand, type TargetOptions } from '../cli/target.ts';

/** The error for a customer that does not exist, with the next step. */
export function noCustomer(options: TargetOptions, customerId: string): Error {
  return new Error(
    `Customer ${customerId} not found. List them with: ${nextCommand(options, 'customers list')}`,
  );
}
