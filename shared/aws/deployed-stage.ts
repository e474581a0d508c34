import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { dataStackOutputs, stackName } from '#shared/contract/deployment.ts';
import { clientSettings } from './client-settings.ts';

/** What an operator works on. */
export type StageResources = {
  readonly tableName: string;
  readonly intakeQueueUrl: string;
  readonly deliveryQueueUrl: string;
  readonly intakeDeadLetterQueueUrl: string;
  readonly deliveryDeadLetterQueueUrl: string;
};

/** Finds the resources of a deployed stage by the outputs of its data stack, in the account of the environment. */
export async function findDeployedStage(stage: string): Promise<StageResources> {
  const name = stackName(stage, 'data');
  const { Stacks = [] } = await new CloudFormationClient(clientSettings).send(
    new DescribeStacksCommand({ StackName: name }),
  );
  const outputs = new Map(Stacks[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  const read = (output: string): string => {
    const value = outputs.get(output);
    if (value === undefined)
      throw new Error(`Cannot use stage "${stage}": stack ${name} has no output ${output}`);
    return value;
  };
  return {
    tableName: read(dataStackOutputs.tableName),
    intakeQueueUrl: read(dataStackOutputs.intakeQueueUrl),
    deliveryQueueUrl: read(dataStackOutputs.deliveryQueueUrl),
    intakeDeadLetterQueueUrl: read(dataStackOutputs.intakeDeadLetterQueueUrl),
    deliveryDeadLetterQueueUrl: read(dataStackOutputs.deliveryDeadLetterQueueUrl),
  };
}
