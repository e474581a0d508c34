import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { DataStack } from '../stacks/data-stack.ts';

const items = ['GetItem', 'BatchGetItem', 'Query', 'Scan', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'];

/** What the operator's commands do with a deployed stage, and to invoke the functions for the operator's programs. */
export function grantOperating(grantee: IGrantable, data: DataStack, functions: readonly LambdaFunction[]): Grant {
  const allow = (actions: readonly string[], resourceArns: readonly string[]) =>
    Grant.addToPrincipal({ grantee, actions: [...actions], resourceArns: [...resourceArns] });
  const { intake, delivery, slowDelivery, replay } = data;
  const queues = [intake, delivery, slowDelivery, replay].map(({ queue }) => queue.queueArn);
  const deadLetters = [intake, delivery, replay].map(({ deadLetters: { queueArn } }) => queueArn);
  const arns = data.grantTargets();
  return [
    allow(
      ['DescribeTable', 'ConditionCheckItem', ...items].map((action) => `dynamodb:${action}`),
      [arns.table],
    ),
    allow(['dynamodb:Query'], [arns.waitingIndex, arns.listedIndex]),
    allow(['sqs:SendMessage', 'sqs:GetQueueAttributes'], [...queues, ...deadLetters]),
    allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility'], deadLetters),
    allow(
      ['lambda:InvokeFunction'],
      functions.map(({ functionArn }) => functionArn),
    ),
    // The commands find the stacks by their outputs.
    allow(['cloudformation:DescribeStacks'], ['*']),
  ].reduce((all, grant) => all.combine(grant));
}
