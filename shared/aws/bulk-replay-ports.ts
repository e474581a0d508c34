import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Table } from './clients.ts';
import { sendReplayStep } from './queues/replay-queue.ts';
import type { Backoff } from './table/backoff.ts';
import { readEndpoint } from './table/endpoints/endpoints.ts';
import {
  readBulkReplay,
  readBulkReplays,
  readRunningReplay,
  storeBulkReplay,
} from './table/replays/bulk-replays.ts';
import { readReplayStates } from './table/replays/event-replays.ts';

/** What starts a bulk replay. @param queueUrl the queue of bulk replays */
export function bulkReplayPorts(table: Table, queues: SQSClient, queueUrl: string, backoff: Backoff) {
  return {
    readEndpoint: readEndpoint(table),
    readRunningReplay: readRunningReplay(table),
    readBulkReplay: readBulkReplay(table),
    readBulkReplays: readBulkReplays(table),
    readReplayStates: readReplayStates(table, backoff),
    storeBulkReplay: storeBulkReplay(table, backoff),
    sendReplayStep: sendReplayStep(queues, queueUrl),
  };
}
