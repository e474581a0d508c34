import { Option } from 'commander';
import type { Table } from '#shared/aws/clients.ts';
import { searchPorts } from '#shared/aws/search-ports.ts';
import { readCustomer } from '#shared/aws/table/credentials/customers.ts';
import { listLiveEndpoints, readEndpoint } from '#shared/aws/table/endpoints/endpoints.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { type IdKind, idPrefixes, isOwnId } from '#shared/domain/ids.ts';
import { findEndpoint, type SearchedEndpoint } from '#shared/operations/operator/search.ts';
import { ofForm } from './option-parsers.ts';
import { nextCommand, type TargetOptions } from './target.ts';
import { UsageError } from './usage-error.ts';

/** Options that name a customer, an endpoint, or both. */
export type PlaceOptions = { readonly customer?: string; readonly endpoint?: string };

export const customerOption = () => new Option('--customer <id>', 'customer that the endpoint belongs to');

export const endpointOption = () => new Option('--endpoint <id>', 'id of the endpoint');

/** The parser of an argument that is the id of a record of this service. */
export function ownId(kind: IdKind): (text: string) => string {
  return ofForm(
    (text) => isOwnId(kind, text),
    `Give an id of the form ${idPrefixes[kind]} and 26 characters`,
  );
}

/**
 * Finds the endpoint that `--endpoint` names, live or deleted. Without `--customer`, it looks through the customers, at
 * up to three reads each.
 *
 * @throws Error with the next step when it does not exist
 */
export async function locateEndpoint(
  table: Table,
  options: TargetOptions & { readonly customer?: string; readonly endpoint: string },
): Promise<SearchedEndpoint> {
  const { customer: customerId, endpoint } = options;
  const found = await findEndpoint(searchPorts(table))(endpoint, { customerId });
  if (found !== null) return found;
  const whose = customerId === undefined ? 'No customer' : `Customer ${customerId}`;
  const no = customerId === undefined ? 'has the' : 'has no';
  const list = nextCommand(options, `webhooks list --customer ${customerId ?? '<id>'} --deleted`);
  throw new Error(`${whose} ${no} endpoint ${endpoint}. List them with: ${list}`);
}

/**
 * The endpoint that the options name, deleted or not, or all live endpoints of the customer.
 *
 * @throws UsageError when the options name neither
 * @throws Error when the customer or the endpoint does not exist
 */
export async function findEndpoints(
  table: Table,
  options: PlaceOptions & TargetOptions,
): Promise<readonly Endpoint[]> {
  const { customer, endpoint } = options;
  if (endpoint !== undefined) {
    const { customerId } = await locateEndpoint(table, { ...options, endpoint });
    const found = await readEndpoint(table)(customerId, endpoint);
    return found === null ? [] : [found];
  }
  if (customer === undefined) throw new UsageError('Give --customer <id>, --endpoint <id> or both');
  if ((await readCustomer(table)(customer)) === null) throw noCustomer(options, customer);
  return await listLiveEndpoints(table)(customer);
}

/** The error for a customer that does not exist, with the next step. */
export function noCustomer(options: TargetOptions, customerId: string): Error {
  return new Error(
    `Customer ${customerId} not found. List them with: ${nextCommand(options, 'customers list')}`,
  );
}
