import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  apiUrlOutput,
  type StackPart,
  type StageResources,
  smokeStackName,
  smokeStackOutputs,
  stackName,
  stageResources,
} from '#shared/contract/deployment.ts';
import { clientSettings } from './client-settings.ts';

/**
 * Finds the resources of a deployed stage through the outputs of its data stack, in the AWS account of the environment.
 *
 * @throws Error when the stack lacks an output
 */
export async function findDeployedStage(stage: string): Promise<StageResources> {
  return stageResources(await outputsOf(stage, 'data'));
}

/**
 * Finds the public address of the API of a deployed stage.
 *
 * @throws Error when the stack lacks the output
 */
export async function findStageApi(stage: string): Promise<string> {
  const readOutput = await outputsOf(stage, 'api');
  return readOutput(apiUrlOutput);
}

/** Where the receiver of smoke tests listens, and where it keeps what it got. */
export type SmokeReceiverResources = { readonly url: string; readonly tableName: string };

/** Finds the receiver for smoke tests of a deployed stage. @returns `null` when it is not deployed */
export async function findSmokeReceiver(stage: string): Promise<SmokeReceiverResources | null> {
  const outputs = await readOutputs(smokeStackName(stage)).catch((error: unknown) => {
    // CloudFormation has no error of its own for a stack that does not exist.
    if (error instanceof Error && /does not exist/.test(error.message)) return undefined;
    throw error;
  });
  const url = outputs?.get(smokeStackOutputs.receiverUrl);
  const tableName = outputs?.get(smokeStackOutputs.receivedTableName);
  return url === undefined || tableName === undefined ? null : { url, tableName };
}

/** @returns reads an output, and throws when the stack lacks it */
async function outputsOf(stage: string, part: StackPart): Promise<(output: string) => string> {
  const stack = stackName(stage, part);
  const outputs = await readOutputs(stack);
  return (output) => {
    const value = outputs.get(output);
    if (value !== undefined) return value;
    throw new Error(`Cannot use stage "${stage}": stack ${stack} has no output ${output}`);
  };
}

async function readOutputs(stack: string): Promise<ReadonlyMap<string | undefined, string | undefined>> {
  const { Stacks = [] } = await new CloudFormationClient(clientSettings).send(
    new DescribeStacksCommand({ StackName: stack }),
  );
  return new Map(Stacks[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
}
