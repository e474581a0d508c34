import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { connectTable } from '#shared/aws/clients.ts';
import { findSmokeReceiver } from '#shared/aws/deployed-stage.ts';
import { type ReceivedPost, readReceivedPosts } from '#shared/aws/received-posts.ts';
import { createReceiver, type Received } from '../conformance/harness/receiver.ts';
import { readLocalStack } from '../operator/cli/local-stack-file.ts';
import type { TargetOptions } from '../operator/cli/target.ts';
import { UsageError } from '../operator/cli/usage-error.ts';

export type ReceiverChoice = TargetOptions & {
  /** Public https address of the operator's own receiver. */
  readonly receiver?: string;
  /** Address that lists what `receiver` got, as the inbox of the test receiver does. */
  readonly inbox?: string;
};

/** The endpoint that gets the one real delivery. */
export type SmokeReceiver = {
  readonly url: string;
  /** What it got so far; `null` when only its owner can see that. */
  readonly posts: (() => Promise<readonly Received[]>) | null;
  readonly close: () => void;
};

const localReceiver = z.object({ receiver: z.object({ origin: z.string(), inbox_url: z.string() }) });

/**
 * Finds the receiver: the one that `--receiver` names, that of the stack `webhooks-<stage>-smoke`, or the test receiver
 * of the local stack.
 *
 * @throws UsageError when there is none
 */
export async function openReceiver(choice: ReceiverChoice): Promise<SmokeReceiver> {
  if (choice.receiver !== undefined) return openOwnReceiver(choice.receiver, choice.inbox);
  const mailbox = `smoke-${randomBytes(12).toString('hex')}`;
  if (choice.stage !== undefined) return await openStageReceiver(choice.stage, mailbox);
  return openInbox((await readLocalStack(choice.stackFile, localReceiver)).receiver, mailbox);
}

function openOwnReceiver(url: string, inboxUrl: string | undefined): SmokeReceiver {
  if (inboxUrl === undefined) return { url, posts: null, close: () => undefined };
  const { origin, pathname } = new URL(url);
  return { ...openInbox({ origin, inbox_url: inboxUrl }, decodeURIComponent(pathname.slice(1))), url };
}

function openInbox(receiver: z.infer<typeof localReceiver>['receiver'], mailbox: string): SmokeReceiver {
  const { urlOf, inbox } = createReceiver(receiver);
  return { url: urlOf(mailbox), posts: () => inbox(mailbox), close: () => undefined };
}

async function openStageReceiver(stage: string, mailbox: string): Promise<SmokeReceiver> {
  const deployed = await findSmokeReceiver(stage);
  if (deployed === null) {
    throw new UsageError(
      `Stage ${stage} has no receiver: add --receiver <https URL>, or deploy one with: ${deployCommand(stage)}`,
    );
  }
  const table = connectTable(deployed.tableName, () => undefined);
  const read = readReceivedPosts(table);
  return {
    url: `${deployed.url.replace(/\/$/, '')}/${mailbox}`,
    posts: async () => (await read(mailbox)).map(toReceived),
    close: () => table.client.close(),
  };
}

function toReceived({ at, headers, body }: ReceivedPost): Received {
  const text = Buffer.from(body);
  return { at, headers: new Map(Object.entries(headers)), body: text, json: undefined };
}

function deployCommand(stage: string): string {
  return `npx cdk deploy webhooks-${stage}-smoke -c stage=${stage} -c smokeReceiver=true`;
}
