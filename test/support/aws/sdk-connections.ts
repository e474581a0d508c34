import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { CreateScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import type { ScheduleClient } from '#shared/aws/attempt-scheduler.ts';
import * as clients from '#shared/aws/clients.ts';
import type { QueueClient } from '#shared/aws/queues/queue-client.ts';
import { sdkQueueClient } from '#shared/aws/queues/sdk-queue-client.ts';
import type { KeyClient } from '#shared/aws/secret-cipher.ts';
import type { Report } from '#shared/operations/ports.ts';

/** The clients of the functions, by the AWS SDK: tests mock its clients and read the commands that they got. */

export const connectTable = (name: string, report: Report): clients.Table =>
  clients.connectTable(name, report);

export const connectQueues = (): QueueClient => sdkQueueClient(clients.connectQueues());

export const connectKeys = (): KeyClient => sdkKeyClient(new KMSClient({}));

export const connectSchedules = (): ScheduleClient => sdkScheduleClient(new SchedulerClient({}));

export function sdkKeyClient(client: KMSClient): KeyClient {
  return {
    encrypt: (input) => client.send(new EncryptCommand(input)),
    decrypt: (input) => client.send(new DecryptCommand(input)),
  };
}

export function sdkScheduleClient(client: SchedulerClient): ScheduleClient {
  return { createSchedule: async (input) => void (await client.send(new CreateScheduleCommand(input))) };
}
