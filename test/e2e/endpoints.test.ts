import { describe, expect, it } from 'vitest';
import { liveEndpointKey } from '#shared/aws/table/keys.ts';
import type { Post } from '../../local/parties/customer/customer-client.ts';
import { only } from '../support/stack/eventually.ts';
import { useStack } from '../support/stack/stack.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';
import { isAcceptedByAll } from '../support/values/verifiers.ts';

const stack = useStack();

describe('a rotated secret', () => {
  it('a rotated secret signs beside the old one during the overlap and alone after it, for third-party verifiers', async () => {
    const customer = await stack.newCustomer();
    const { webhook, secret: old } = await customer.register(customer.receiver('hooks'));
    const before = await nextPost(customer, 1);

    const rotated = await customer.rotate(webhook.id);
    const during = await nextPost(customer, 2);
    await endOverlap(customer, webhook.id);
    const after = await nextPost(customer, 3);

    expect([before, during, after].map(countSignatures)).toEqual([1, 2, 1]);
    expect([before, during, after].map((post) => isAccepted(post, old))).toEqual([true, true, false]);
    expect([before, during, after].map((post) => isAccepted(post, rotated.secret))).toEqual([
      false,
      true,
      true,
    ]);
    expect(rotated.webhook.previous_secret_expires_at).toBe(rotated.overlap_expires_at);
    expect(rotated.webhook.secret_prefix).toBe(rotated.secret.slice(0, 12));
    expect(await customer.webhook(webhook.id)).toMatchObject({ previous_secret_expires_at: null });
  });

  /** Lets a Run settle, and gives the POST of that number that the receiver gets. */
  async function nextPost(customer: StackCustomer, number: number): Promise<Post> {
    await customer.settleRun();
    return only((await customer.received('hooks', number)).slice(number - 1));
  }

  /** A day later, as far as the endpoint is concerned. */
  async function endOverlap(customer: StackCustomer, webhookId: string): Promise<void> {
    const { client, name } = stack.table();
    await client.update({
      TableName: name,
      Key: liveEndpointKey(customer.id, webhookId),
      UpdateExpression: 'SET previous_secret_expires_at = :past',
      ConditionExpression: 'previous_secret_expires_at > :past',
      ExpressionAttributeValues: { ':past': Date.now() - 1 },
    });
  }

  function countSignatures(post: Post): number {
    const { headers } = post;
    const hex = headers['x-service-signature']?.match(/,v1=[0-9a-f]{64}(?=,|$)/g) ?? [];
    const base64 = headers['webhook-signature']?.match(/(?<=^| )v1,[\w+/]{43}=(?= |$)/g) ?? [];
    expect(base64).toHaveLength(hex.length);
    return hex.length;
  }

  /** Asks verifiers that know nothing of this service. */
  function isAccepted(post: Post, secret: string): boolean {
    const { body, headers } = post;
    const ids = [JSON.parse(body.toString()).id, headers['webhook-id']];
    return (
      isAcceptedByAll(post, secret, Date.now()) && ids.every((id) => id === headers['x-service-event-id'])
    );
  }
});
