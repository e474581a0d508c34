import { fileURLToPath } from 'node:url';
import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { WebhookService } from 'webhook-delivery-construct';

/** A platform whose function settles Runs, with webhooks for its customers. */
class Platform extends Stack {
  constructor(scope, id) {
    super(scope, id);
    const ops = new Topic(this, 'Ops', { enforceSSL: true });
    // Its policy replaces the one of AWS, which lets alarms publish. Those of other accounts may not.
    const conditions = { StringEquals: { 'aws:SourceAccount': this.account } };
    ops.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }));

    const webhooks = new WebhookService(this, 'Webhooks', {
      stage: 'demo',
      stackPrefix: 'acme-hooks',
      serviceName: 'Acme',
      alarmEmail: ops.topicArn,
    });

    const engine = new LambdaFunction(this, 'Engine', {
      runtime: Runtime.NODEJS_24_X,
      code: Code.fromAsset(fileURLToPath(new URL('engine', import.meta.url))),
      handler: 'index.handler',
      environment: { INTAKE_QUEUE_URL: webhooks.intakeQueue.queueUrl },
    });
    webhooks.grantSend(engine);

    new CfnOutput(this, 'EngineName', { value: engine.functionName });
  }
}

new Platform(new App(), 'acme-platform');
