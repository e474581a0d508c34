import type { Command } from 'commander';
import type { Table } from '#shared/aws/clients.ts';
import { listEndpointsSince } from '#shared/aws/table/deliveries/audit-reads.ts';
import { listLiveEndpoints, readEndpoint } from '#shared/aws/table/endpoints/endpoints.ts';
import { presentWebhook } from '#shared/contract/records/webhook.ts';
import { timestampOrNull } from '#shared/contract/timestamp.ts';
import { maxDeliveryPartitions } from '#shared/domain/derived-id.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { getWebhook, withLastDelivery } from '#shared/operations/customer/read-webhooks.ts';
import { spreadDeliveries } from '#shared/operations/operator/spread-deliveries.ts';
import { now } from '#shared/runtime/system.ts';
import { aboutOne } from '../cli/about-one.ts';
import { coloured } from '../cli/colour.ts';
import { wholeNumber } from '../cli/option-parsers.ts';
import { assertCustomer, customerOption, locateEndpoint } from '../cli/place-options.ts';
import { type Invocation, invoke, onTarget } from '../cli/target.ts';
import { counted, factLines, recordTable, when } from '../cli/text-table.ts';
import { addExampleCommand } from './example-command.ts';

type ListOptions = { readonly customer: string; readonly deleted?: true };
type ShowOptions = { readonly customer?: string };
type SpreadOptions = { readonly customer: string; readonly partitions: number };

export function addWebhookCommands(webhooks: Command): void {
  onTarget(webhooks.command('list'), 'List the endpoints of a customer, newest first')
    .requiredOption('--customer <id>', 'customer that the endpoints belong to')
    .option('--deleted', 'include deleted endpoints')
    .action(invoke(list));
  const one = (name: string, description: string, ...earlier: readonly string[]) =>
    aboutOne(onTarget(webhooks.command(name), description), 'id of the endpoint', ...earlier);
  one('show', 'Show an endpoint, live or deleted', 'endpoint').addOption(customerOption()).action(invoke(showOne));
  addExampleCommand(webhooks.command('example'));
  one('spread', 'Spread the new deliveries of a busy endpoint', 'endpoint', 'webhook')
    .requiredOption('--customer <id>', 'customer that the endpoint belongs to')
    .requiredOption(
      '--partitions <number>',
      'number of partition keys, from 1 to 32; it can only be raised',
      wholeNumber(1, maxDeliveryPartitions),
    )
    .action(invoke(spread));
}

async function list({ options, open, next, show }: Invocation<ListOptions>): Promise<void> {
  const { customer, deleted } = options;
  const { table } = await open();
  const stored = await (deleted === true ? readAllEndpoints : listLiveEndpoints)(table, customer);
  const completed = await Promise.all(stored.map((each) => withLastDelivery(table, each)));
  const webhooks = completed.map(webhookJson);
  const [newest] = webhooks;
  if (newest === undefined) {
    await assertCustomer(table, next, customer);
    return show([], ['No endpoints. The customer registers one with POST /v1/webhooks']);
  }
  const deliveries = next(`deliveries find --customer ${customer} --endpoint ${newest.id}`);
  const lines = recordTable(webhooks, {
    ENDPOINT: 'id',
    STATUS: 'status',
    CREATED: 'created_at',
    'LAST ATTEMPT': 'last_delivery_at',
    'FAILING SINCE': 'failing_since',
    URL: 'url',
    DESCRIPTION: 'description',
  });
  show(webhooks, [...lines, `Next: ${deliveries}`]);
}

/** Live and deleted ones, newest first. */
async function readAllEndpoints(table: Table, customerId: string): Promise<readonly Endpoint[]> {
  const known = await listEndpointsSince(table, customerId, 0);
  const read = await Promise.all(known.map(({ id }) => readEndpoint(table, customerId, id)));
  return read.filter((endpoint) => endpoint !== null).sort((left, right) => (left.id < right.id ? 1 : -1));
}

async function showOne({ options, open, next, show }: Invocation<ShowOptions>, webhookId: string): Promise<void> {
  const { table } = await open();
  const { customerId, id } = await locateEndpoint(table, next, webhookId, options.customer);
  const webhook = webhookJson(await getWebhook(table, customerId, id));
  const deliveries = next(`deliveries find --customer ${customerId} --endpoint ${id}`);
  show(webhook, [...webhookLines(webhook), `Next: ${deliveries}`]);
}

async function spread({ options, open, next, show }: Invocation<SpreadOptions>, webhookId: string): Promise<void> {
  const { customer } = options;
  const list = next(`webhooks list --customer ${customer}`);
  const { table } = await open();
  const endpoint = await spreadDeliveries(table, customer, webhookId, options.partitions);
  if (endpoint === null) {
    throw new Error(`Customer ${customer} has no endpoint ${webhookId}. List them with: ${list}`);
  }
  const { id, deliveryPartitions } = endpoint;
  show({ id, delivery_partitions: deliveryPartitions }, [
    `New deliveries of ${id} are spread over ${counted(deliveryPartitions, 'partition')}`,
    ...when(options.partitions < deliveryPartitions, 'The number can only be raised'),
  ]);
}

/** An endpoint as JSON: as in the API, with its customer and what the operator can change. */
function webhookJson(endpoint: Endpoint) {
  return {
    ...presentWebhook(endpoint, now()),
    customer_id: endpoint.customerId,
    delivery_partitions: endpoint.deliveryPartitions,
    slow_since: timestampOrNull(endpoint.slowSince),
  };
}

/** An endpoint in full. */
function webhookLines(webhook: ReturnType<typeof webhookJson>): readonly string[] {
  const { secret_prefix: secret, previous_secret_expires_at: oldSecretEnds } = webhook;
  const facts = {
    Customer: webhook.customer_id,
    URL: webhook.url,
    Description: webhook.description || null,
    Secret: secret === '' ? null : `${secret}…`,
    'Old secret': oldSecretEnds && `valid until ${oldSecretEnds}`,
    Created: webhook.created_at,
    Activated: webhook.activated_at,
    'Last attempt': webhook.last_delivery_at,
    'Failing since': webhook.failing_since,
    'Slow since': webhook.slow_since,
    Partitions: webhook.delivery_partitions,
  };
  return [`Endpoint ${webhook.id}: ${coloured(webhook.status)}`, ...factLines(facts, 15)];
}
