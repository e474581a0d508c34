import { type Command, Option } from 'commander';
import { timestamp } from '#shared/contract/timestamp.ts';
import { type StatusFilter, statusFilters } from '#shared/domain/delivery.ts';
import { isEngineId } from '#shared/domain/ids.ts';
import type { DeliveryCriteria } from '#shared/operations/customer/list-deliveries.ts';
import { findDelivery, type Search, searchDeliveries } from '#shared/operations/operator/find-deliveries.ts';
import { now } from '#shared/runtime/system.ts';
import { ofForm, timeOption, wholeNumber } from '../cli/option-parsers.ts';
import {
  assertCustomer,
  customerOption,
  endpointOption,
  locateEndpoint,
  ownId,
  type PlaceOptions,
} from '../cli/place-options.ts';
import { type Invocation, invoke, onTarget } from '../cli/target.ts';
import { counted, when } from '../cli/text-table.ts';
import { UsageError } from '../cli/usage-error.ts';
import { deliveryJson, deliveryJsonWithLog, deliveryLines, deliveryTable } from './delivery-text.ts';

type FindOptions = PlaceOptions & {
  readonly event?: string;
  readonly run?: string;
  readonly status?: StatusFilter;
  readonly since?: number;
  readonly until?: number;
  readonly limit: number;
};

const maxLimit = 1000;
const day = 24 * 60 * 60_000;
/** How far back a search without an event or a Run looks by default. */
const defaultDays = 7;

export function addDeliveryCommands(deliveries: Command): void {
  onTarget(deliveries.command('find'), 'Find deliveries by event, Run, endpoint, status and time, newest first')
    .option('--event <id>', 'deliveries of this event: the first ones and their replays', ownId('event'))
    .option('--run <id>', 'deliveries of events about this Run', parseRun)
    .option('--customer <id>', 'customer to search (default, with --event or --run: all, at a few reads each)')
    .addOption(endpointOption())
    .addOption(new Option('--status <status>', 'status of the deliveries').choices([...statusFilters]))
    .option(
      '--since <time>',
      `created since: an age such as 24h, or a time (default: ${defaultDays}d without --event and --run)`,
      timeOption(now),
    )
    .option('--until <time>', 'created before: an age such as 1h, or a time', timeOption(now))
    .option('--limit <number>', 'maximum number of deliveries to print', wholeNumber(1, maxLimit), 25)
    .action(invoke(find));
  onTarget(deliveries.command('show'), 'Show a delivery with its body and each of its attempts')
    .argument('<id>', 'id of the delivery', ownId('delivery'))
    .addOption(customerOption())
    .addOption(endpointOption())
    .action(invoke(showOne));
}

const parseRun = ofForm((text) => isEngineId('run', text), 'Give the id of a Run, which begins with run_');

async function find(invocation: Invocation<FindOptions>): Promise<void> {
  const { options, open, next, show } = invocation;
  const { customer, endpoint, limit } = options;
  const criteria = criteriaOf(options);
  const { table } = await open();
  // Only the customer of the endpoint is searched.
  const located = endpoint === undefined ? null : await locateEndpoint(table, next, endpoint, customer);
  const place = { customerId: located?.customerId ?? customer, webhookId: located?.id };
  const found = await searchDeliveries(table, place, criteria, limit);
  const { deliveries, more, searched } = found;
  if (deliveries.length === 0 && customer !== undefined) await assertCustomer(table, next, customer);
  const result = { deliveries: deliveries.map(deliveryJson), more, searched };
  show(result, describe(found, criteria, invocation));
}

/** @throws UsageError when the search has no bounds, or its times are in the wrong order */
function criteriaOf(options: FindOptions): DeliveryCriteria {
  const { event, run, customer, endpoint, since, until, status } = options;
  const isBound = event !== undefined || run !== undefined;
  if (!isBound && customer === undefined && endpoint === undefined) {
    throw new UsageError('A search needs --event, --run, --customer or --endpoint; customers list shows the customers');
  }
  const from = since ?? (isBound ? undefined : Math.max(0, (until ?? now()) - defaultDays * day));
  if (from !== undefined && until !== undefined && from >= until) {
    throw new UsageError(`--until must be later than --since: ${timestamp(until)} is not after ${timestamp(from)}`);
  }
  return { event_id: event, run_id: run, status, created_after: from, created_before: until };
}

function describe(
  found: Search,
  criteria: DeliveryCriteria,
  { options, next }: Invocation<FindOptions>,
): readonly string[] {
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
  return [
    ...deliveryTable(deliveries),
    `${looked}${from}`,
    ...when(more, `There are more than ${options.limit}: raise --limit, or narrow the search with --until`),
    `Next: ${next(`deliveries show ${id} --customer ${customerId} --endpoint ${webhookId}`)}`,
  ];
}

async function showOne({ options, open, next, show }: Invocation<PlaceOptions>, id: string): Promise<void> {
  const { customer, endpoint } = options;
  const { table } = await open();
  const delivery = await findDelivery(table, id, { customerId: customer, webhookId: endpoint });
  if (delivery === null) {
    const places = [customer && `customer ${customer}`, endpoint && `endpoint ${endpoint}`].filter(Boolean);
    const where = places.length === 0 ? '' : ` at ${places.join(', ')}`;
    const list = next('deliveries find --customer <id>');
    throw new Error(`Delivery ${id} not found${where}. List deliveries with: ${list}`);
  }
  const { event, customerId } = delivery;
  show(deliveryJsonWithLog(delivery), [
    // Bars of the attempts only on a terminal.
    ...deliveryLines(delivery, process.stdout.isTTY ? process.stdout.columns : null),
    `Next, the other deliveries of the event: ${next(`deliveries find --event ${event.id} --customer ${customerId}`)}`,
  ]);
}
