import type { Command } from 'commander';
import { raisePartitions } from '#shared/aws/table/endpoints.ts';
import { spreadDeliveries } from '#shared/operations/operator/spread-deliveries.ts';
import { operatorTable } from './operator-table.ts';
import { type Output, type OutputOptions, show } from './output.ts';
import { onTarget, openTarget, type TargetOptions } from './target.ts';

type Options = TargetOptions &
  OutputOptions & { readonly customer: string; readonly webhook: string; readonly partitions: number };

export function addWebhookCommands(webhooks: Command, print: Output): void {
  onTarget(webhooks.command('spread').description('Spread the new deliveries of a busy endpoint'))
    .requiredOption('--customer <id>', 'customer who holds the endpoint')
    .requiredOption('--webhook <id>', 'the endpoint')
    .requiredOption(
      '--partitions <number>',
      'partition keys to spread over, from 1 to 32; never lowered',
      Number,
    )
    .action((options: Options) => spread(print, options));
}

async function spread(print: Output, options: Options): Promise<void> {
  const { tableName } = await openTarget(options);
  const spreadOver = spreadDeliveries({ raisePartitions: raisePartitions(operatorTable(tableName)) });
  const endpoint = await spreadOver(options.customer, options.webhook, options.partitions);
  if (endpoint === null) {
    throw new Error(
      `Customer ${options.customer} holds no endpoint ${options.webhook}: GET /v1/webhooks lists those there are`,
    );
  }
  const { id, deliveryPartitions } = endpoint;
  show(print, options, { id, delivery_partitions: deliveryPartitions }, [
    `Deliveries of ${id} are spread over ${deliveryPartitions} partition${deliveryPartitions === 1 ? '' : 's'}`,
  ]);
}
