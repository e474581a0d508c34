import { Argument, type Command } from 'commander';
import { enqueueAttempts } from '#shared/aws/queues/delivery-queue.ts';
import { readDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { type ExampleType, exampleTypes } from '#shared/domain/event.ts';
import { idTime } from '#shared/domain/ids.ts';
import { noteActivity } from '#shared/operations/customer/note-activity.ts';
import { sendExample } from '#shared/operations/customer/send-example.ts';
import { awaitDeliveries } from '#shared/operations/operator/await-deliveries.ts';
import { now, randomBytes, wait } from '#shared/runtime/system.ts';
import { customerOption, endpointOption, locateEndpoint } from '../cli/place-options.ts';
import { type Invocation, invoke, onTarget, readApiUrl, type Target } from '../cli/target.ts';
import { deliveryJson, deliveryTable } from '../deliveries/delivery-text.ts';
import { throwUnlessDelivered } from '../emit/awaited-text.ts';
import { waitOption } from '../emit/emit-options.ts';

type ExampleOptions = { readonly customer?: string; readonly endpoint: string; readonly wait?: number };

export function addExampleCommand(example: Command): void {
  onTarget(example, 'Send an endpoint a test event with an example of another event')
    .addArgument(new Argument('<type>', 'type of the example').choices(exampleTypes))
    .addOption(endpointOption().makeOptionMandatory())
    .addOption(customerOption())
    .addOption(waitOption)
    .action(invoke(send));
}

async function send(invocation: Invocation<ExampleOptions>, type: ExampleType): Promise<void> {
  const { options, open, next, show } = invocation;
  const target = await open();
  const { customerId, id } = await locateEndpoint(target.table, next, options.endpoint, options.customer);
  const delivery = await sendExample(portsOf(target, await readApiUrl(options)))(customerId, id, type);
  const noted = { customerId, webhookId: id, subjectId: delivery.id, credentialId: null };
  await noteActivity({ now, randomBytes, report: () => {}, table: target.table })({
    ...noted,
    action: 'example_sent',
  });
  const { wait: seconds = 0 } = options;
  const ended = seconds === 0 ? null : await awaitExample(target, delivery, now() + seconds * 1_000);
  const shown = ended?.seen[0]?.deliveries[0]?.stored ?? delivery;
  show(deliveryJson(shown), [
    ...deliveryTable([shown]),
    `Next: ${next(`deliveries show ${delivery.id} --customer ${customerId} --endpoint ${id}`)}`,
  ]);
  if (ended !== null) throwUnlessDelivered(ended, seconds, next('dead-letters list'));
}

function portsOf({ table, queues, deliveryQueueUrl, slowDeliveryQueueUrl }: Target, baseUrl: string) {
  return {
    ...{ now, randomBytes, baseUrl, table },
    enqueueAttempts: enqueueAttempts(queues, { ordinary: deliveryQueueUrl, slow: slowDeliveryQueueUrl }),
    // What the queue refuses, the sweep sends.
    report: () => {},
  };
}

/** The one delivery of an example is known: no fan-out is stored. */
async function awaitExample({ table }: Target, { id, customerId, webhookId, event }: Delivery, until: number) {
  const fanOut = { eventId: event.id, acceptedAt: idTime(id), deliveries: [{ deliveryId: id, webhookId }] };
  const awaiting = awaitDeliveries({
    now,
    wait,
    readFanOut: async () => fanOut,
    readDelivery: (key) => readDelivery(table, key),
  });
  return await awaiting(customerId, [event.id], until);
}
