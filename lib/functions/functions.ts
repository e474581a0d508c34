import { type BundledFolder, type FunctionFolder, smokeFunctionFolder } from '#shared/contract/functions.ts';
import type { Config } from '../settings/config.ts';
import { apiFunctions } from './api-functions.ts';
import type { FunctionSettings } from './function-settings.ts';
import { countMessages, items, sendTo } from './grants.ts';
import { operatorFunctions } from './operator-functions.ts';
import { queueFunctions } from './queue-functions.ts';

/** No function that serves customers can create a credential. Those of the operator do, each one kind. */
export const functions: Readonly<Record<FunctionFolder, FunctionSettings>> = {
  ...apiFunctions,
  ...queueFunctions,
  ...operatorFunctions,
  'schedule/sweep': {
    memory: 512,
    timeout: 60,
    environment: ['tableName', 'deliveryQueueUrl'],
    grants: [
      { on: 'waitingIndex', actions: ['dynamodb:Query'] },
      items(['deliveries'], 'UpdateItem'),
      ...sendTo('deliveryQueue'),
    ],
  },
  // Reads the deliveries of several hours, so its timeout is the longest that Lambda allows.
  'schedule/audit': {
    memory: 512,
    timeout: 900,
    environment: ['tableName', 'intakeQueueUrl', 'deliveryQueueUrl', 'slowDeliveryQueueUrl'],
    grants: [
      items(['customerList', 'customer', 'deliveries'], 'Query'),
      items(['deliveries'], 'GetItem', 'UpdateItem'),
      items(['bulkReplays'], 'GetItem'),
      ...countMessages('intakeQueue', 'deliveryQueue', 'slowDeliveryQueue'),
    ],
  },
};

type Size = Pick<FunctionSettings, 'memory' | 'timeout' | 'systemLog' | 'invokesItself'>;

/** Stores one small item for each POST; nobody waits for it but a smoke test. */
const smokeFunction: Size = { memory: 256, timeout: 10 };

export function sizeOf(
  folder: BundledFolder,
  { requestMemory, deliveryMemory }: Pick<Config, 'requestMemory' | 'deliveryMemory'>,
): Size {
  if (folder === smokeFunctionFolder) return smokeFunction;
  if (folder === 'queue/deliver' && deliveryMemory !== undefined)
    return { ...functions[folder], memory: deliveryMemory };
  return folder in apiFunctions ? { ...functions[folder], memory: requestMemory } : functions[folder];
}
