/**
 * Locates a deployed stage: the names of its stacks, and the outputs of the data stack that the operator's command line
 * reads.
 */
export const stackParts = ['data', 'api', 'delivery'] as const;

/** The others exist only if a setting asks for them; that of the receiver for smoke tests is deployed apart. */
export type StackPart = (typeof stackParts)[number] | 'network' | 'vpc' | 'smoke';

/** What the names of the stacks begin with, unless a setting says otherwise. */
export const stackPrefixOf = (stage: string): string => `webhooks-${stage}`;

export const stackName = (stage: string, part: StackPart): string => `${stackPrefixOf(stage)}-${part}`;

/** The output with the name of the stage, of every stack whose own name does not say it. */
export const stageOutput = 'WebhooksStage';

export const dataStackOutputs = {
  tableName: 'TableName',
  intakeQueueUrl: 'IntakeQueueUrl',
  deliveryQueueUrl: 'DeliveryQueueUrl',
  slowDeliveryQueueUrl: 'SlowDeliveryQueueUrl',
  replayQueueUrl: 'ReplayQueueUrl',
  intakeDeadLetterQueueUrl: 'IntakeDeadLetterQueueUrl',
  deliveryDeadLetterQueueUrl: 'DeliveryDeadLetterQueueUrl',
  replayDeadLetterQueueUrl: 'ReplayDeadLetterQueueUrl',
} as const;

/** Outputs of a data stack with an event bus. */
export const dataStackOutputsOfBus = {
  eventBusArn: 'EventBusArn',
  eventBusDeadLetterQueueUrl: 'EventBusDeadLetterQueueUrl',
} as const;

/** The output of the API stack with the public address of the API. */
export const apiUrlOutput = 'ApiUrl';

/** The output of the API stack with the name of the function that creates portal links. */
export const portalLinkFunctionOutput = 'PortalLinkFunction';

/** The output of the API stack with the names of all functions of the operator, by their operation: a JSON object. */
export const operatorFunctionsOutput = 'OperatorFunctions';

/** The output of the API stack with the name of the access log's group. */
export const accessLogOutput = 'AccessLogName';

/** The output of the delivery stack with the address of the dashboard. */
export const dashboardOutput = 'DashboardUrl';

/** The resources of a stage that an operator works on. */
export type StageResources = { readonly [Name in keyof typeof dataStackOutputs]: string };

/** @param read reads an output of the data stack */
export function stageResources(read: (output: string) => string): StageResources;
export function stageResources(read: (output: string) => string): Readonly<Record<string, string>> {
  const resources = Object.entries(dataStackOutputs).map(([name, output]) => [name, read(output)]);
  return Object.fromEntries(resources);
}

/** `IntakeQueueUrl` → `intake_queue_url`, as the file that describes a local stack names the resource. */
export function nameInStackFile(output: string): string {
  return output.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase();
}

/** The output of the stack of the network with the addresses that deliveries come from, separated by commas. */
export const sourceAddressesOutput = 'SourceAddresses';

/** Outputs of the stack of the receiver for smoke tests. */
export const smokeStackOutputs = {
  receiverUrl: 'ReceiverUrl',
  receivedTableName: 'ReceivedTableName',
} as const;
