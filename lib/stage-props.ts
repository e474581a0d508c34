import { RemovalPolicy, type StackProps } from 'aws-cdk-lib';
import type { Config } from './config.ts';

/** What every stack of a stage is given. */
export type StageProps = StackProps & {
  readonly config: Config;
  /** Folder of the bundles: one subfolder per function. */
  readonly bundles: string;
};

/** What every stack is made with: those of a stage to keep are not deleted by a slip. */
export function stackPropsOf(props: StageProps): StackProps {
  return { ...props, terminationProtection: !props.config.throwAway };
}

/** What becomes of a stage's data and logs when its stacks are deleted. */
export function removalPolicyOf(config: Config): RemovalPolicy {
  return config.throwAway ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
}
