import { startKms } from '../aws/kms/start-kms.ts';
import { startScheduler } from '../aws/scheduler/start-scheduler.ts';
import type { BaseServices } from './base-services.ts';
import { allStarted, starting, step } from './lifecycle.ts';
import { createQueues, createTables } from './provision.ts';
import { createServiceClient } from './service-client.ts';
import { dataPath, type StackSettings } from './stack-options.ts';

/** Addresses of the services that start from the names in the template. */
export type TemplateServices = {
  readonly schedulerUrl: string;
  readonly scheduleHistoryUrl: string;
  readonly kmsUrl: string;
};

/** Starts EventBridge Scheduler and KMS, and creates the tables and queues of the template. */
export function startTemplateServices(
  settings: StackSettings,
  { model, callSqs, sqsUrl, dynamodbUrl }: BaseServices,
): Promise<TemplateServices & AsyncDisposable> {
  return starting(async (parts) => {
    const dynamodb = createServiceClient('dynamodb', dynamodbUrl);
    parts.defer(dynamodb.close);
    const [services] = await allStarted([
      step(settings, 'Start Scheduler and KMS', async () => {
        const dataFile = dataPath(settings, 'kms.json');
        const kms = parts.use(await startKms({ port: 0, keyArns: model.keyArns, dataFile }));
        const scheduler = parts.use(
          await startScheduler({
            port: 0,
            groups: model.scheduleGroups,
            timeScale: settings.timeScale,
            dataFile: dataPath(settings, 'schedules.sqlite'),
            sendMessage: (input) =>
              callSqs('SendMessage', { ...input, QueueUrl: currentUrl(sqsUrl, input.QueueUrl) }),
            onError: (error) => settings.onLogLine('scheduler', String(error)),
          }),
        );
        return {
          schedulerUrl: await settings.wrapService('scheduler', scheduler.url),
          scheduleHistoryUrl: scheduler.historyUrl,
          kmsUrl: await settings.wrapService('kms', kms.url),
        };
      }),
      step(settings, 'Create the table', () => createTables(dynamodb.call, model.tables)),
      step(settings, 'Create the queues', () => createQueues(callSqs, model.queues)),
    ]);
    return services;
  });
}

/** Replaces the origin: a kept schedule has the port that the queues had in an earlier run. */
function currentUrl(sqsUrl: string, queueUrl: string): string {
  return `${sqsUrl}${new URL(queueUrl).pathname}`;
}
