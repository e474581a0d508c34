import type { Stack } from 'aws-cdk-lib';
import { type FunctionFolder, filesFunctionFolder } from '#shared/contract/functions.ts';
import { ServiceFunction } from '../constructs/service-function.ts';
import { type EnvironmentValues, environmentOf, settingValues } from '../functions/function-environment.ts';
import { functions } from '../functions/functions.ts';
import { policyOf } from '../functions/grants.ts';
import type { StageProps } from '../settings/stage-props.ts';
import type { DataStack } from './data-stack.ts';
import type { NetworkStack } from './network-stack.ts';
import type { VpcStack } from './vpc-stack.ts';

/** What the functions of a stage connect to. */
export type StageFunctionProps = StageProps & {
  readonly data: DataStack;
  /** `undefined` unless a setting asks for fixed addresses, or names a network. */
  readonly network: NetworkStack | VpcStack | undefined;
};

/** Adds a function of a stage, with the environment and the permissions that its settings name. */
export function addStageFunction(
  stack: Stack,
  folder: FunctionFolder,
  { config, bundles, branded, data, network }: StageFunctionProps,
  addresses: Pick<EnvironmentValues, 'baseUrl' | 'docsUrl' | 'noticesQueueUrl' | 'consoleUrl'>,
): ServiceFunction {
  const sourceAddresses = network?.sourceAddresses();
  const values = { ...data.environmentValues(), ...settingValues(config), ...addresses, sourceAddresses };
  return new ServiceFunction(stack, {
    folder,
    bundles: folder === filesFunctionFolder ? branded : bundles,
    config,
    environment: environmentOf(folder, values),
    policy: policyOf(functions[folder].grants, data.grantTargets()),
    network: functions[folder].postsToEndpoints ? network?.network : undefined,
  });
}
