import { CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { smokeStackOutputs } from '#shared/contract/deployment.ts';
import { environmentNames } from '#shared/contract/environment.ts';
import { smokeFunctionFolder } from '#shared/contract/functions.ts';
import { receivedPostsSchema } from '#shared/contract/received-posts-schema.ts';
import { ServiceFunction } from '../constructs/service-function.ts';
import { type StageProps, stackPropsOf } from '../settings/stage-props.ts';

/**
 * A public receiver for smoke tests: a function URL that accepts every POST, and a table that keeps it for an hour. Only
 * AWS credentials can read the table. Nothing here belongs to a customer, so nothing is retained or protected.
 */
export class SmokeStack extends Stack {
  constructor(scope: Construct, id: string, props: StageProps) {
    const config = { ...props.config, retainData: false, keepsData: false };
    super(scope, id, stackPropsOf({ ...props, config }, 'smoke'));
    const received = this.makeTable();
    const { lambda } = new ServiceFunction(this, {
      folder: smokeFunctionFolder,
      bundles: props.bundles,
      config,
      environment: { [environmentNames.tableName]: received.tableName },
      policy: [new PolicyStatement({ actions: ['dynamodb:PutItem'], resources: [received.tableArn] })],
    });
    // Customers' endpoints are public, so this one is. Its host name and the path of a run cannot be guessed.
    const { url } = lambda.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });
    new CfnOutput(this, smokeStackOutputs.receiverUrl, { value: url });
    new CfnOutput(this, smokeStackOutputs.receivedTableName, { value: received.tableName });
  }

  private makeTable(): TableV2 {
    const { partitionKey, sortKey, expiresAt } = receivedPostsSchema;
    return new TableV2(this, 'Received', {
      partitionKey: { name: partitionKey, type: AttributeType.STRING },
      sortKey: { name: sortKey, type: AttributeType.STRING },
      timeToLiveAttribute: expiresAt,
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      removalPolicy: RemovalPolicy.DESTROY,
    });
  }
}
