import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  apiUrlOutput,
  dataStackOutputs,
  type StageResources,
  stackName,
} from '#shared/contract/deployment.ts';
import { clientSettings } from './client-settings.ts';

/**
 * Finds the resources of a deployed stage through the outputs of its data stack, in the AWS account of the environment.
 *
 * @throws Error when the stack lacks an output
 */
export async function findDeployedStage(stage: string): Promise<StageResources> {
  const stack = stackName(stage, 'data');
  const outputs = await readOutputs(stack);
  const resources = Object.fromEntries(
    Object.entries(dataStackOutputs).map(([name, output]) => [name, outputs.get(output)]),
  );
  if (isComplete(resources)) return resources;
  const missing = Object.values(dataStackOutputs).find((output) => outputs.get(output) === undefined);
  throw new Error(`Cannot use stage "${stage}": stack ${stack} has no output ${missing}`);
}

/**
 * Finds the public address of the API of a deployed stage.
 *
 * @throws Error when the stack lacks the output
 */
export async function findStageApi(stage: string): Promise<string> {
  const stack = stackName(stage, 'api');
  const url = (await readOutputs(stack)).get(apiUrlOutput);
  if (url !== undefined) return url;
  throw new Error(`Cannot use stage "${stage}": stack ${stack} has no output ${apiUrlOutput}`);
}

async function readOutputs(stack: string): Promise<ReadonlyMap<string | undefined, string | undefined>> {
  const { Stacks = [] } = await new CloudFormationClient(clientSettings).send(
    new DescribeStacksCommand({ StackName: stack }),
  );
  return new Map(Stacks[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
}

function isComplete(found: Readonly<Record<string, string | undefined>>): found is StageResources {
  return Object.keys(dataStackOutputs).every((name) => found[name] !== undefined);
}
