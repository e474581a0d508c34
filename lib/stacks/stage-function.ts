import type { Stack } from 'aws-cdk-lib';
import type { FunctionFolder } from '#shared/contract/functions.ts';
import { ServiceFunction } from '../constructs/service-function.ts';
import { type EnvironmentValues, environmentOf, settingValues } from '../functions/function-environment.ts';
import { functions } from '../functions/functions.ts';
import { policyOf } from '../functions/grants.ts';
import type { StageProps } from '../settings/stage-props.ts';
import type { DataStack } from './data-stack.ts';

/** Adds a function of a stage, with the environment and the permissions that its settings name. */
export function addStageFunction(
  stack: Stack,
  folder: FunctionFolder,
  { config, bundles, data }: StageProps & { readonly data: DataStack },
  addresses: Pick<EnvironmentValues, 'baseUrl' | 'docsUrl'>,
): ServiceFunction {
  const values = { ...data.environmentValues(), ...settingValues(config), ...addresses };
  return new ServiceFunction(stack, {
    folder,
    bundles,
    config,
    environment: environmentOf(folder, values),
    policy: policyOf(functions[folder].grants, data.grantTargets()),
  });
}
