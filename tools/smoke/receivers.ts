import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import * as z from 'zod';
import { connectTable } from '#shared/aws/clients.ts';
import { findSmokeReceiver } from '#shared/aws/deployed-stage.ts';
import { type ReceivedPost, readReceivedPosts } from '#shared/aws/received-posts.ts';
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
  /** Address that lists what it got; `undefined` when only its owner can see that. */
  readonly inboxUrl: string | undefined;
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
  const close = () => undefined;
  if (choice.receiver !== undefined) return { url: choice.receiver, inboxUrl: choice.inbox, close };
  const mailbox = `smoke-${randomBytes(12).toString('hex')}`;
  if (choice.stage !== undefined) return await openStageReceiver(choice.stage, mailbox);
  const { receiver } = await readLocalStack(choice.stackFile, localReceiver);
  return { url: `${receiver.origin}/${mailbox}`, inboxUrl: receiver.inbox_url, close };
}

async function openStageReceiver(stage: string, mailbox: string): Promise<SmokeReceiver> {
  const deployed = await findSmokeReceiver(stage);
  if (deployed === null) {
    throw new UsageError(
      `Stage ${stage} has no receiver: add --receiver <https URL>, or deploy one with: ${deployCommand(stage)}`,
    );
  }
  const table = connectTable(deployed.tableName, () => undefined);
  const inbox = await serveInbox(() => readReceivedPosts(table)(mailbox));
  const close = () => {
    inbox.close();
    table.client.close();
  };
  return { url: `${deployed.url.replace(/\/$/, '')}/${mailbox}`, inboxUrl: inbox.url, close };
}

/** Serves what the table has as an inbox on loopback, at a path that no web page can guess. */
async function serveInbox(read: () => Promise<readonly ReceivedPost[]>) {
  const path = `/${randomBytes(18).toString('hex')}`;
  const server = createServer((request, response) => {
    if (!request.url?.startsWith(path)) return void response.writeHead(404).end();
    read().then(
      (posts) => response.end(JSON.stringify(posts.map(toEntry))),
      (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = z.object({ port: z.number() }).parse(server.address());
  return { url: `http://127.0.0.1:${port}${path}`, close: () => server.close() };
}

function toEntry({ at, headers, body }: ReceivedPost) {
  return { time: new Date(at).toISOString(), headers, body_base64: Buffer.from(body).toString('base64') };
}

function deployCommand(stage: string): string {
  return `npx cdk deploy webhooks-${stage}-smoke -c stage=${stage} -c smokeReceiver=true`;
}
