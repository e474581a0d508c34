import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { toDeliveryItem } from '#shared/aws/table/deliveries/delivery-item.ts';
import { deliveryKey } from '#shared/aws/table/keys.ts';
import { apiEvent, useFunctionClients } from '../../support/aws/aws-functions.ts';
import { lambdaContext } from '../../support/aws/lambda-events.ts';
import { buildDelivery, eventId, webhookId } from '../../support/values/builders.ts';

const { table } = useFunctionClients();

it('get-delivery shows the headers that requests of this deployment have, and no signature', async () => {
  const { handler } = await import('../../../functions/api/get-delivery/handler.ts');
  const delivery = buildDelivery();
  table.on(GetCommand, { Key: deliveryKey(delivery) }).resolves({ Item: toDeliveryItem(delivery) });
  const path = { id: webhookId, deliveryId: delivery.id };

  const { body } = await handler(apiEvent('GET', '/v1/webhooks/{id}/deliveries/{deliveryId}', { path }), lambdaContext);

  expect(JSON.parse(body).request_headers).toEqual([
    { name: 'Content-Type', value: 'application/json' },
    { name: 'User-Agent', value: 'Service-Webhooks/1' },
    { name: 'X-Service-Event-Id', value: eventId },
    { name: 'X-Service-Event-Type', value: 'run.completed' },
    { name: 'X-Service-Signature', value: null },
    { name: 'webhook-id', value: eventId },
    { name: 'webhook-timestamp', value: null },
    { name: 'webhook-signature', value: null },
  ]);
});
