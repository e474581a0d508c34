import { describe, expect, inject, it, onTestFinished } from 'vitest';
import {
  createReceiverFolder,
  exampleReceivers,
  removeFolder,
  startPageReceiver,
  whySkipped,
} from '../support/docs/page-receivers.ts';
import { useStack } from '../support/stack/stack.ts';

const { info, exampleOrigins } = inject('stack');
const stack = useStack();
const examples = exampleReceivers.map((receiver, n) => ({ ...receiver, origin: exampleOrigins[n] ?? '' }));

/** What `examples/README.md` sets for a receiver that serves HTTPS itself. */
const tls = { TLS_CERT: info.listen.cert_file, TLS_KEY: info.listen.key_file };

describe.each(examples)('$name at the stack', ({ origin, ...receiver }) => {
  it('is registered, and handles the event of a Run, as examples/README.md says', async ({ skip }) => {
    const reason = whySkipped(receiver);
    if (reason !== undefined) skip(reason);
    const customer = await stack.newCustomer();
    const dir = await createReceiverFolder(receiver);
    onTestFinished(() => removeFolder(dir));
    const start = async (secret: string) => {
      const running = await startPageReceiver(receiver, dir, secret, Number(new URL(origin).port), tls);
      onTestFinished(() => running.stop());
      return running;
    };

    const unregistered = await start('');
    const { webhook, secret } = await customer.register(`${origin}/webhooks`);
    await unregistered.stop();
    const registered = await start(secret);
    await customer.settleRun();

    const { status, run_id, event_id } = await customer.endedDelivery(webhook.id);
    expect([webhook.status, status]).toEqual(['active', 'delivered']);
    await expect.poll(() => registered.verified()).toEqual([`Run ${run_id} ended as completed (${event_id})`]);
  });
});
