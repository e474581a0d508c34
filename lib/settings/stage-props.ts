import { type Environment, PermissionsBoundary, RemovalPolicy, type StackProps, Token } from 'aws-cdk-lib';
import type { StackPart } from '#shared/contract/deployment.ts';
import type { Config } from './config.ts';

/** Properties of every stack of a stage. */
export type StageProps = {
  readonly config: Config;
  /** Folder of the bundles: one subfolder per function. */
  readonly bundles: string;
  /** Folder of the bundle that serves the published files with the brand of the stage. */
  readonly branded: string;
  /** Account and Region. Default: those of the deployment. */
  readonly env?: Environment | undefined;
};

const descriptions: Readonly<Record<StackPart, string>> = {
  data: 'table, queues, key',
  api: 'HTTP API',
  delivery: 'delivery',
  network: 'fixed addresses',
  vpc: 'place in a network that exists',
  smoke: 'smoke test receiver',
};

/** Protects the stacks against accidental deletion when the stage retains its data, and bounds their roles. */
export function stackPropsOf({ config, env }: StageProps, part: StackPart): StackProps {
  const { retainData, permissionsBoundary: policy } = config;
  return {
    stackName: stackNameOf(config, part),
    description: `Webhooks: ${descriptions[part]}`,
    terminationProtection: retainData,
    ...(env !== undefined && { env }),
    ...(policy !== undefined && boundaryOf(policy)),
  };
}

export function stackNameOf({ stackPrefix }: Config, part: StackPart): string {
  return `${stackPrefix}-${part}`;
}

function boundaryOf(policy: string): StackProps {
  const isArn = policy.startsWith('arn:') || Token.isUnresolved(policy);
  return {
    permissionsBoundary: isArn ? PermissionsBoundary.fromArn(policy) : PermissionsBoundary.fromName(policy),
  };
}

/**
 * Applies to the key, the logs and the dead letters of a stage when its stacks are deleted. What a failed first
 * deployment created holds nothing, so it is deleted.
 */
export function removalPolicyOf(config: Config): RemovalPolicy {
  return config.keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
}
