import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeId } from '#shared/domain/ids.ts';
import { createServiceClient } from '../../local/stack/service-client.ts';
import { exampleMessage } from '../../operator/example-messages.ts';
import { sharedNow } from './clock.ts';
import type { Load, PlayedEvent, Recipient } from './load.ts';

type Sent = Omit<PlayedEvent, 'arrivedAt'>;
type Send = (recipient: Recipient) => Promise<Sent>;

/**
 * Sends the events of a load to the intake queue. Resolves when the queue has accepted all.
 *
 * @param arrived resolves when the event of a Run has arrived, or when the patience for it is over
 */
export async function sendEvents(
  { sqsUrl, intakeQueueUrl, ...load }: Load,
  arrived: (runId: string) => Promise<void>,
): Promise<readonly Sent[]> {
  const { call, close } = createServiceClient('sqs', sqsUrl);
  const send: Send = async ({ customer, endpoint }) => {
    const runId = makeId('run', Date.now(), randomBytes(10));
    const message = exampleMessage('run.settled', { customer, run: runId }, Date.now(), randomBytes);
    const input = {
      QueueUrl: intakeQueueUrl,
      MessageBody: JSON.stringify(message),
      MessageGroupId: customer,
    };
    await call('SendMessage', input);
    return { runId, endpoint, acceptedAt: sharedNow() };
  };
  try {
    const recipients = inTurn(load.recipients, load.count);
    return await ('inFlight' in load.pace
      ? sendClosedLoop(recipients, load.pace.inFlight, send, arrived)
      : sendOpenLoop(recipients, load.pace.perSecond, send));
  } finally {
    close();
  }
}

function* inTurn(recipients: readonly Recipient[], count: number): Generator<Recipient> {
  for (let index = 0; index < count; index += 1) {
    const recipient = recipients[index % recipients.length];
    if (recipient !== undefined) yield recipient;
  }
}

async function sendClosedLoop(
  recipients: Generator<Recipient>,
  inFlight: number,
  send: Send,
  arrived: (runId: string) => Promise<void>,
): Promise<readonly Sent[]> {
  const events: Sent[] = [];
  const lane = async () => {
    for (const recipient of recipients) {
      const event = await send(recipient);
      events.push(event);
      await arrived(event.runId);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return events;
}

async function sendOpenLoop(
  recipients: Generator<Recipient>,
  perSecond: number,
  send: Send,
): Promise<readonly Sent[]> {
  const startedAt = sharedNow();
  const sending: Promise<Sent>[] = [];
  for (const recipient of recipients) {
    await sleep(Math.max(0, startedAt + (sending.length * 1_000) / perSecond - sharedNow()));
    sending.push(send(recipient));
  }
  return await Promise.all(sending);
}
