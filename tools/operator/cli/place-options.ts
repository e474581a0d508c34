import { Option } from 'commander';
import type { Table } from '#shared/aws/clients.ts';
import { readCustomer } from '#shared/aws/table/credentials/customers.ts';
import { listLiveEndpoints, readEndpoint } from '#shared/aws/table/endpoints/endpoints.ts';
import type { DeliveryHistory, Endpoint } from '#shared/domain/endpoint.ts';
import { type IdKind, idPrefixes, isOwnId } from '#shared/domain/ids.ts';
import { findEndpoint } from '#shared/operations/operator/search.ts';
import { ofForm } from './option-parsers.ts';
import type { Invocation } from './target.ts';
import { UsageError } from './usage-error.ts';

/** Options that name a customer, an endpoint, or both. */
export type PlaceOptions = { readonly customer?: string; readonly endpoint?: string };

export const customerOption = () => new Option('--customer <id>', 'customer that the endpoint belongs to');

export const endpointOption = () => new Option('--endpoint <id>', 'id of the endpoint');

/** The parser of an argument that is the id of a record of this service. */
export function ownId(kind: IdKind): (text: string) => string {
  return ofForm((text) => isOwnId(kind, text), `Give an id of the form ${idPrefixes[kind]} and 26 characters`);
}

/** A command to run next, on the same stack. */
type Next = Invocation['next'];

/**
 * Finds the endpoint that `--endpoint` names, live or deleted. Without `--customer`, it looks through the customers, at
 * up to three reads each.
 *
 * @throws Error with the next step when it does not exist
 */
export async function locateEndpoint(
  table: Table,
  next: Next,
  endpoint: string,
  customerId: string | undefined,
): Promise<DeliveryHistory> {
  const found = await findEndpoint(table, endpoint, { customerId });
  if (found !== null) return found;
  const who = customerId === undefined ? 'No customer has the' : `Customer ${customerId} has no`;
  const list = next(`webhooks list --customer ${customerId ?? '<id>'} --deleted`);
  throw new Error(`${who} endpoint ${endpoint}. List them with: ${list}`);
}

/**
 * The endpoint that the options name, deleted or not, or all live endpoints of the customer.
 *
 * @throws UsageError when the options name neither
 * @throws Error when the customer or the endpoint does not exist
 */
export async function findEndpoints(
  table: Table,
  { options: { customer, endpoint }, next }: Pick<Invocation<PlaceOptions>, 'options' | 'next'>,
): Promise<readonly Endpoint[]> {
  if (endpoint !== undefined) {
    const { customerId } = await locateEndpoint(table, next, endpoint, customer);
    const found = await readEndpoint(table, customerId, endpoint);
    return found === null ? [] : [found];
  }
  if (customer === undefined) throw new UsageError('Give --customer <id>, --endpoint <id> or both');
  await assertCustomer(table, next, customer);
  return await listLiveEndpoints(table, customer);
}

/** @throws Error with the next step when the customer does not exist */
export async function assertCustomer(table: Table, next: Next, customerId: string): Promise<void> {
  if ((await readCustomer(table, customerId)) === null) throw noCustomer(next, customerId);
}

/** The error for a customer that does not exist, or of which only the row in the list is left, with the next step. */
export function noCustomer(next: Next, customerId: string): Error {
  return new Error(
    `Customer ${customerId} not found. List them with: ${next('customers list')}. ` +
      `If it is listed, its deletion has not ended; continue that with: ${next(`customers delete ${customerId}`)}`,
  );
}
