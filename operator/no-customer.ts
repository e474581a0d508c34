import { nextCommand, type TargetOptions } from './target.ts';

/** The error of a command that names an unknown customer. */
export function noCustomer(options: TargetOptions & { readonly customer: string }): Error {
  const list = nextCommand(options, 'customers list');
  return new Error(`Customer ${options.customer} not found. List them with: ${list}`);
}
