import { CloudFormationClient, DescribeStacksCommand, type DescribeStacksInput } from '@aws-sdk/client-cloudformation';
import { describe, expect, it } from 'vitest';
import { findDeployedStage, findSmokeReceiver, findStageApi } from '#shared/aws/deployed-stage.ts';
import { commandsOf, useMock } from '../../support/aws/aws-mocks.ts';

const mock = useMock(CloudFormationClient);

const outputs = {
  TableName: 'table',
  IntakeQueueUrl: 'https://sqs/intake',
  DeliveryQueueUrl: 'https://sqs/delivery',
  SlowDeliveryQueueUrl: 'https://sqs/slow-delivery',
  ReplayQueueUrl: 'https://sqs/replay',
  ReplayDeadLetterQueueUrl: 'https://sqs/replay-dead',
  IntakeDeadLetterQueueUrl: 'https://sqs/intake-dead-letters',
  DeliveryDeadLetterQueueUrl: 'https://sqs/delivery-dead-letters',
};

const lowerCase = (letter: string) => letter.toLowerCase();

function answerWith(found: Readonly<Record<string, string>>): void {
  const Outputs = Object.entries(found).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));
  const stack = { StackName: 'webhooks-prod-data', CreationTime: undefined, StackStatus: undefined };
  mock.on(DescribeStacksCommand).resolves({ Stacks: [{ ...stack, Outputs }] });
}

describe('findDeployedStage()', () => {
  it('reads the table and every queue from the outputs of the data stack', async () => {
    answerWith({ ...outputs, SecretsKeyArn: 'arn' });

    const named = Object.entries(outputs).map(([name, value]) => [name.replace(/^./, lowerCase), value]);
    expect(await findDeployedStage('prod')).toEqual(Object.fromEntries(named));
    expect(commandsOf(mock)).toEqual([{ DescribeStacksCommand: { StackName: 'webhooks-prod-data' } }]);
  });

  it.each(Object.keys(outputs))('names the output %s that a stack lacks', async (name) => {
    answerWith(Object.fromEntries(Object.entries(outputs).filter(([key]) => key !== name)));

    await expect(findDeployedStage('prod')).rejects.toThrow(
      `Cannot use stage "prod": its data stack has no output ${name}`,
    );
  });
});

it('findStageApi() reads the address of the API from the output of the API stack, and names it when it is lacking', async () => {
  answerWith({ ApiUrl: 'https://api.example.com', DocsUrl: 'https://api.example.com/docs' });
  expect(await findStageApi('prod')).toBe('https://api.example.com');
  expect(commandsOf(mock)).toEqual([{ DescribeStacksCommand: { StackName: 'webhooks-prod-api' } }]);

  answerWith({});
  await expect(findStageApi('prod')).rejects.toThrow('Cannot use stage "prod": its api stack has no output ApiUrl');
});

describe('findSmokeReceiver()', () => {
  it('reads where the receiver listens and where it keeps what it got', async () => {
    answerWith({ ReceiverUrl: 'https://receiver.example.com/', ReceivedTableName: 'received' });

    expect(await findSmokeReceiver('prod')).toEqual({
      url: 'https://receiver.example.com/',
      tableName: 'received',
    });
    expect(commandsOf(mock)).toEqual([{ DescribeStacksCommand: { StackName: 'webhooks-prod-smoke' } }]);
  });

  it('finds none when its stack is not deployed, and passes on any other failure', async () => {
    mock.on(DescribeStacksCommand).rejects(new Error('Stack with id webhooks-prod-smoke does not exist'));
    expect(await findSmokeReceiver('prod')).toBeNull();

    mock.on(DescribeStacksCommand).rejects(new Error('Access denied'));
    await expect(findSmokeReceiver('prod')).rejects.toThrow('Access denied');
  });
});

describe('a stage whose stacks have names of their own', () => {
  const missing = new Error('Stack with id webhooks-prod-data does not exist');
  const stackOf = (stage: string, found: Readonly<Record<string, string>>) => ({
    ...{ StackName: 'acme', CreationTime: undefined, StackStatus: undefined },
    Outputs: Object.entries({ ...found, WebhooksStage: stage }).map(([OutputKey, OutputValue]) => ({
      OutputKey,
      OutputValue,
    })),
  });
  /** An account with these stacks, whose names are others. @param pages undefined: stacks cannot be listed */
  const account = (pages?: readonly (readonly ReturnType<typeof stackOf>[])[]) =>
    mock.on(DescribeStacksCommand).callsFake(({ StackName, NextToken = '0' }: DescribeStacksInput) => {
      if (StackName !== undefined) throw missing;
      if (pages === undefined) throw new Error('Access denied');
      const next = Number(NextToken) + 1;
      return { Stacks: pages[next - 1], NextToken: next < pages.length ? String(next) : undefined };
    });

  it('is found by the output that names it, on any page, and not mixed up with another stage', async () => {
    account([
      [stackOf('staging', { ...outputs, TableName: 'other' })],
      [stackOf('prod', outputs), stackOf('prod', { ApiUrl: 'https://api.example.com' })],
    ]);

    expect(await findDeployedStage('prod')).toMatchObject({ tableName: 'table' });
    expect(await findStageApi('prod')).toBe('https://api.example.com');
    expect(await findSmokeReceiver('prod')).toBeNull();
  });

  it('a stage that no stack names, or that cannot be looked for, does not exist', async () => {
    account([[stackOf('staging', outputs)]]);
    await expect(findDeployedStage('prod')).rejects.toThrow(missing);

    account();
    await expect(findDeployedStage('prod')).rejects.toThrow(missing);
  });
});
