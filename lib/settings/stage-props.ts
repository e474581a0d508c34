import { RemovalPolicy, type StackProps } from 'aws-cdk-lib';
import type { Config } from './config.ts';

/** Properties of every stack of a stage. */
export type StageProps = StackProps & {
  readonly config: Config;
  /** Folder of the bundles: one subfolder per function. */
  readonly bundles: string;
  /** Folder of the bundle that serves the published files with the brand of the stage. */
  readonly branded: string;
};

/** Protects the stacks against accidental deletion when the stage retains its data. */
export function stackPropsOf(props: StageProps): StackProps {
  return { ...props, terminationProtection: props.config.retainData };
}

/**
 * Applies to the key, the logs and the dead letters of a stage when its stacks are deleted. What a failed first
 * deployment created holds nothing, so it is deleted.
 */
export function removalPolicyOf(config: Config): RemovalPolicy {
  return config.retainData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
}
