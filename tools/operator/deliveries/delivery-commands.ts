import { type Command, Option } from 'commander';
import type { Table } from '#shared/aws/clients.ts';
import { deliveryListPorts } from '#shared/aws/delivery-list-ports.ts';
import { searchPorts } from '#shared/aws/search-ports.ts';
import { readCustomer } from '#shared/aws/table/credentials/customers.ts';
import { timestamp } from '#shared/contract/timestamp.ts';
import { type DeliveryStatus, deliveryStatuses } from '#shared/domain/delivery.ts';
import { isEngineId } from '#shared/domain/engine-id.ts';
import { type DeliveryCriteria, findDeliveries } from '#shared/operations/customer/list-deliveries.ts';
import { findDelivery, type Search, searchDeliveries } from '#shared/operations/operator/find-deliveries.ts';
import { backoff, now } from '#shared/runtime/system.ts';
import { ofForm, wholeNumber } from '../cli/option-parsers.ts';
import { type Output, type OutputOptions, show } from '../cli/output.ts';
import {
  customerOption,
  endpointOption,
  locateEndpoint,
  noCustomer,
  ownId,
  type PlaceOptions,
} from '../cli/place-options.ts';
import { nextCommand, onTarget, openTarget, type TargetOptions } from '../cli/target.ts';
import { counted, when } from '../cli/text-table.ts';
import { timeOption } from '../cli/time-option.ts';
import { UsageError } from '../cli/usage-error.ts';
import { deliveryJson, deliveryJsonWithLog, deliveryLines, deliveryTable } from './delivery-text.ts';

type Options = TargetOptions & OutputOptions & PlaceOptions;

type FindOptions = Options & {
  readonly event?: string;
  readonly run?: string;
  readonly status?: DeliveryStatus;
  readonly since?: number;
  readonly until?: number;
  readonly limit: number;
};

const maxLimit = 1000;
const day = 24 * 60 * 60_000;
/** How far back a search without an event or a Run looks by default. */
const defaultDays = 7;

export function addDeliveryCommands(deliveries: Command, print: Output): void {
  onTarget(
    deliveries
      .command('find')
      .description('Find deliveries by event, Run, endpoint, status and time, newest first'),
  )
    .option('--event <id>', 'deliveries of this event: the first ones and their replays', ownId('event'))
    .option('--run <id>', 'deliveries of events about this Run', parseRun)
    .option('--customer <id>', 'customer to search (default: all, at a few reads each)')
    .addOption(endpointOption())
    .addOption(new Option('--status <status>', 'status of the deliveries').choices([...deliveryStatuses]))
    .option(
      '--since <time>',
      `created since: an age such as 24h, or a time (default: ${defaultDays}d without --event and --run)`,
      timeOption(now),
    )
    .option('--until <time>', 'created before: an age such as 1h, or a time', timeOption(now))
    .option('--limit <number>', 'maximum number of deliveries to print', wholeNumber(1, maxLimit), 25)
    .action((options: FindOptions) => find(print, options));
  onTarget(deliveries.command('show').description('Show a delivery with its body and each of its attempts'))
    .argument('<id>', 'id of the delivery', ownId('delivery'))
    .addOption(customerOption())
    .addOption(endpointOption())
    .action((id: string, options: Options) => showOne(print, id, options));
}

const parseRun = ofForm((text) => isEngineId('run', text), 'Give the id of a Run, which begins with run_');

async function find(print: Output, options: FindOptions): Promise<void> {
  const criteria = criteriaOf(options);
  const { table } = await openTarget(options);
  const place = await placeOf(table, options);
  const ports = deliveryListPorts(table, backoff);
  const search = searchDeliveries({
    ...searchPorts(table),
    readRunEventIds: ports.readRunEventIds,
    findPage: findDeliveries(ports),
  });
  const found = await search(place, criteria, options.limit);
  if (found.deliveries.length === 0) await throwOnUnknownCustomer(table, options);
  const { deliveries, more, searched } = found;
  const result = { deliveries: deliveries.map(deliveryJson), more, searched };
  show(print, options, result, describe(found, criteria, options));
}

/** @throws UsageError when the search has no bounds, or its times are in the wrong order */
function criteriaOf(options: FindOptions): DeliveryCriteria {
  const { event, run, customer, endpoint, since, until, status } = options;
  const isBound = event !== undefined || run !== undefined;
  if (!isBound && customer === undefined && endpoint === undefined) {
    throw new UsageError('Name what to find: --event, --run, --customer or --endpoint');
  }
  const from = since ?? (isBound ? undefined : Math.max(0, (until ?? now()) - defaultDays * day));
  if (from !== undefined && until !== undefined && from >= until) {
    throw new UsageError(
      `--until must be later than --since: ${timestamp(until)} is not after ${timestamp(from)}`,
    );
  }
  return { event_id: event, run_id: run, status, created_after: from, created_before: until };
}

/** Names the customer of an endpoint, so that only this customer is searched. */
async function placeOf(table: Table, options: Options) {
  const { customer: customerId, endpoint } = options;
  if (endpoint === undefined) return { customerId };
  const located = await locateEndpoint(table, { ...options, endpoint });
  return { customerId: located.customerId, webhookId: located.id };
}

async function throwOnUnknownCustomer(table: Table, options: Options): Promise<void> {
  const { customer } = options;
  if (customer !== undefined && (await readCustomer(table)(customer)) === null)
    throw noCustomer(options, customer);
}

function describe(found: Search, criteria: DeliveryCriteria, options: FindOptions): readonly string[] {
  const { deliveries, more, searched } = found;
  const { created_after: since } = criteria;
  const looked = `Looked through ${counted(searched.customers, 'customer')} and ${counted(searched.endpoints, 'endpoint')}`;
  const from = since === undefined ? '' : `, at deliveries since ${timestamp(since)}`;
  const [newest] = deliveries;
  if (newest === undefined) {
    const hint = options.since === undefined && since !== undefined ? '; look further back with --since' : '';
    return [`No deliveries found. ${looked}${from}${hint}`];
  }
  const { id, customerId, webhookId } = newest;
  const next = `deliveries show ${id} --customer ${customerId} --endpoint ${webhookId}`;
  return [
    ...deliveryTable(deliveries),
    `${looked}${from}`,
    ...when(more, `There are more than ${options.limit}: raise --limit, or narrow the search with --until`),
    `Next: ${nextCommand(options, next)}`,
  ];
}

async function showOne(print: Output, id: string, options: Options): Promise<void> {
  const { table } = await openTarget(options);
  const place = { customerId: options.customer, webhookId: options.endpoint };
  const delivery = await findDelivery(searchPorts(table))(id, place);
  if (delivery === null) {
    const list = nextCommand(options, 'deliveries find --customer <id>');
    throw new Error(`Delivery ${id} not found${whereText(options)}. List deliveries with: ${list}`);
  }
  const { event, customerId } = delivery;
  const others = nextCommand(options, `deliveries find --event ${event.id} --customer ${customerId}`);
  show(print, options, deliveryJsonWithLog(delivery), [
    // Bars of the attempts only on a terminal.
    ...deliveryLines(delivery, process.stdout.isTTY ? process.stdout.columns : null),
    `Next, the other deliveries of the event: ${others}`,
  ]);
}

function whereText({ customer, endpoint }: PlaceOptions): string {
  const places = [
    ...(customer === undefined ? [] : [`customer ${customer}`]),
    ...(endpoint === undefined ? [] : [`endpoint ${endpoint}`]),
  ];
  return places.length === 0 ? '' : ` at ${places.join(', ')}`;
}
