import { apiModel } from './api-model.ts';
import type { CloudAssembly } from './cloud-assembly.ts';
import { queueModel, tableModel } from './data-model.ts';
import { eventSourceMappingSchema, functionModel, pipeModel, scheduleRules } from './function-model.ts';
import { Resolver } from './intrinsics.ts';

/** All resources that the local stack runs, derived from the synthesized templates alone. */
export type AppModel = Readonly<ReturnType<typeof readAppModel>>;

/**
 * Reads the model. Ignores resources that the local stack does not run (roles, log groups, alarms). `sqsUrl` is the
 * origin of the SQS emulator.
 */
export function readAppModel(assembly: CloudAssembly, { sqsUrl }: { readonly sqsUrl: string }) {
  const resolver = new Resolver(assembly, sqsUrl);
  return {
    tables: resolver.find('AWS::DynamoDB::GlobalTable').map(tableModel),
    queues: resolver.find('AWS::SQS::Queue').map(queueModel),
    functions: resolver.find('AWS::Lambda::Function').map((resource) => functionModel(resource, assembly.assetPaths)),
    mappings: resolver
      .find('AWS::Lambda::EventSourceMapping')
      .map(({ properties }) => eventSourceMappingSchema.parse(properties)),
    pipes: resolver.find('AWS::Pipes::Pipe').map(pipeModel),
    rules: resolver.find('AWS::Events::Rule').flatMap(scheduleRules),
    apis: resolver.find('AWS::ApiGateway::RestApi').map((api) => apiModel(api, resolver)),
    /** Names of the EventBridge Scheduler groups. */
    scheduleGroups: resolver.find('AWS::Scheduler::ScheduleGroup').map(({ ref }) => ref),
    keyArns: resolver.find('AWS::KMS::Key').map(({ arn }) => arn),
    /** @throws Error when no stack has the output */
    output: (name: string) => resolver.output(name),
  };
}
