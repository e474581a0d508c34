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
    return await play(recipients, load.pace, send, arrived);
  } finally {
    close();
  }
}

function play(
  recipients: Generator<Recipient>,
  pace: Load['pace'],
  send: Send,
  arrived: (runId: string) => Promise<void>,
): Promise<readonly Sent[]> {
  if ('perSecond' in pace) return sendOpenLoop(recipients, pace.perSecond, send);
  if ('publishers' in pace) return sendClosedLoop(recipients, pace.publishers, send);
  return sendClosedLoop(recipients, pace.inFlight, async (recipient) => {
    const event = await send(recipient);
    await arrived(event.runId);
    return event;
  });
}

function* inTurn(recipients: readonly Recipient[], count: number): Generator<Recipient> {
  for (let index = 0; index < count; index += 1) {
    const recipient = recipients[index % recipients.length];
    if (recipient !== undefined) yield recipient;
  }
}

async function sendClosedLoop(
  recipients: Generator<Recipient>,
  senders: number,
  send: Send,
): Promise<readonly Sent[]> {
  const events: Sent[] = [];
  const work = async () => {
    for (const recipient of recipients) events.push(await send(recipient));
  };
  await Promise.all(Array.from({ length: senders }, work));
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
