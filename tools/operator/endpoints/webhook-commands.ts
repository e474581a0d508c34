import { type Command, Option } from 'commander';
import type { Table } from '#shared/aws/clients.ts';
import { readCustomer } from '#shared/aws/table/credentials/customers.ts';
import { readAttemptTimes } from '#shared/aws/table/deliveries/attempt-times.ts';
import { listEndpointsSince } from '#shared/aws/table/deliveries/audit-reads.ts';
import { listLiveEndpoints, raisePartitions, readEndpoint } from '#shared/aws/table/endpoints/endpoints.ts';
import { maxDeliveryPartitions } from '#shared/domain/derived-id.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { getWebhook } from '#shared/operations/customer/get-webhook.ts';
import { withLastDelivery } from '#shared/operations/customer/last-delivery.ts';
import { spreadDeliveries } from '#shared/operations/operator/spread-deliveries.ts';
import { now } from '#shared/runtime/system.ts';
import { wholeNumber } from '../cli/option-parsers.ts';
import { type Output, type OutputOptions, show } from '../cli/output.ts';
import { customerOption, endpointOption, locateEndpoint, noCustomer } from '../cli/place-options.ts';
import { nextCommand, onTarget, openTarget, type TargetOptions } from '../cli/target.ts';
import { counted } from '../cli/text-table.ts';
import { UsageError } from '../cli/usage-error.ts';
import { webhookJson, webhookLines, webhookTable } from './webhook-text.ts';

type Options = TargetOptions & OutputOptions;
type ListOptions = Options & { readonly customer: string; readonly deleted?: true };
type ShowOptions = Options & { readonly customer?: string; readonly endpoint: string };
type SpreadOptions = Options & {
  readonly customer: string;
  readonly endpoint?: string;
  /** The name of `endpoint` in earlier releases. */
  readonly webhook?: string;
  readonly partitions: number;
};

export function addWebhookCommands(webhooks: Command, print: Output): void {
  onTarget(webhooks.command('list').description('List the endpoints of a customer, newest first'))
    .requiredOption('--customer <id>', 'customer that the endpoints belong to')
    .option('--deleted', 'include deleted endpoints')
    .action((options: ListOptions) => list(print, options));
  onTarget(webhooks.command('show').description('Show an endpoint, live or deleted'))
    .addOption(endpointOption().makeOptionMandatory())
    .addOption(customerOption())
    .action((options: ShowOptions) => showOne(print, options));
  onTarget(webhooks.command('spread').description('Spread the new deliveries of a busy endpoint'))
    .requiredOption('--customer <id>', 'customer that the endpoint belongs to')
    .addOption(endpointOption())
    .addOption(new Option('--webhook <id>', 'earlier name of --endpoint').hideHelp())
    .requiredOption(
      '--partitions <number>',
      'number of partition keys, from 1 to 32; it can only be raised',
      wholeNumber(1, maxDeliveryPartitions),
    )
    .action((options: SpreadOptions) => spread(print, options));
}

async function list(print: Output, options: ListOptions): Promise<void> {
  const { customer } = options;
  const { table } = await openTarget(options);
  const stored = await (options.deleted === true
    ? readAllEndpoints(table, customer)
    : listLiveEndpoints(table)(customer));
  if (stored.length === 0 && (await readCustomer(table)(customer)) === null)
    throw noCustomer(options, customer);
  const complete = withLastDelivery(readAttemptTimes(table));
  const webhooks = (await Promise.all(stored.map(complete))).map((endpoint) => webhookJson(endpoint, now()));
  const [newest] = webhooks;
  const lines =
    newest === undefined
      ? [`No endpoints. The customer registers one with POST /v1/webhooks`]
      : [
          ...webhookTable(webhooks),
          `Next: ${nextCommand(options, `deliveries find --customer ${customer} --endpoint ${newest.id}`)}`,
        ];
  show(print, options, webhooks, lines);
}

async function readAllEndpoints(table: Table, customerId: string): Promise<readonly Endpoint[]> {
  const known = await listEndpointsSince(table)(customerId, 0);
  const read = await Promise.all(known.map(({ id }) => readEndpoint(table)(customerId, id)));
  return read.filter((endpoint) => endpoint !== null).sort((left, right) => (left.id < right.id ? 1 : -1));
}

async function showOne(print: Output, options: ShowOptions): Promise<void> {
  const { table } = await openTarget(options);
  const { customerId, id } = await locateEndpoint(table, options);
  const reads = { readEndpoint: readEndpoint(table), readAttemptTimes: readAttemptTimes(table) };
  const webhook = webhookJson(await getWebhook(reads)(customerId, id), now());
  show(print, options, webhook, [
    ...webhookLines(webhook),
    `Next: ${nextCommand(options, `deliveries find --customer ${customerId} --endpoint ${id}`)}`,
  ]);
}

async function spread(print: Output, options: SpreadOptions): Promise<void> {
  const { customer, endpoint: webhookId = options.webhook } = options;
  const list = nextCommand(options, `webhooks list --customer ${customer}`);
  if (webhookId === undefined) {
    throw new UsageError(`Name the endpoint to spread: add --endpoint <id>, from ${list}`);
  }
  const { table } = await openTarget(options);
  const spreadOver = spreadDeliveries({ raisePartitions: raisePartitions(table) });
  const endpoint = await spreadOver(customer, webhookId, options.partitions);
  if (endpoint === null) {
    throw new Error(`Customer ${customer} has no endpoint ${webhookId}. List them with: ${list}`);
  }
  const { id, deliveryPartitions } = endpoint;
  show(print, options, { id, delivery_partitions: deliveryPartitions }, [
    `New deliveries of ${id} are spread over ${counted(deliveryPartitions, 'partition')}`,
  ]);
}
