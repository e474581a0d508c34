import { type Command, InvalidArgumentError } from 'commander';
import { raisePartitions } from '#shared/aws/table/endpoints.ts';
import { maxDeliveryPartitions } from '#shared/domain/derived-id.ts';
import { spreadDeliveries } from '#shared/operations/operator/spread-deliveries.ts';
import { type Output, type OutputOptions, show } from './output.ts';
import { onTarget, openTarget, type TargetOptions } from './target.ts';

type Options = TargetOptions &
  OutputOptions & { readonly customer: string; readonly webhook: string; readonly partitions: number };

export function addWebhookCommands(webhooks: Command, print: Output): void {
  onTarget(webhooks.command('spread').description('Spread the new deliveries of a busy endpoint'))
    .requiredOption('--customer <id>', 'customer that the endpoint belongs to')
    .requiredOption('--webhook <id>', 'id of the endpoint')
    .requiredOption(
      '--partitions <number>',
      'number of partition keys, from 1 to 32; it can only be raised',
      parsePartitions,
    )
    .action((options: Options) => spread(print, options));
}

function parsePartitions(text: string): number {
  const partitions = Number(text);
  if (Number.isInteger(partitions) && partitions >= 1 && partitions <= maxDeliveryPartitions)
    return partitions;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${maxDeliveryPartitions}`);
}

async function spread(print: Output, options: Options): Promise<void> {
  const { table } = await openTarget(options);
  const spreadOver = spreadDeliveries({ raisePartitions: raisePartitions(table) });
  const endpoint = await spreadOver(options.customer, options.webhook, options.partitions);
  if (endpoint === null) {
    throw new Error(
      `Customer ${options.customer} has no endpoint ${options.webhook}. List them with: GET /v1/webhooks`,
    );
  }
  const { id, deliveryPartitions } = endpoint;
  show(print, options, { id, delivery_partitions: deliveryPartitions }, [
    `New deliveries of ${id} are spread over ${deliveryPartitions} partition${deliveryPartitions === 1 ? '' : 's'}`,
  ]);
}
