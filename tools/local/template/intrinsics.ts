import { z } from 'zod';
import type { CloudAssembly, StackTemplate } from './cloud-assembly.ts';
import { identityOf, localAccount, localRegion, nameProperty, type ResourceIdentity } from './identities.ts';

/** Replaces the intrinsic functions in a template value with plain values. */
export type Resolver = {
  /** @throws Error that names the function and the stack when the value contains an unsupported function */
  readonly resolve: (stack: StackTemplate, value: unknown) => unknown;
  readonly identity: (stack: StackTemplate, logicalId: string) => ResourceIdentity;
};

const pseudoParameters: Readonly<Record<string, string>> = {
  'AWS::AccountId': localAccount,
  'AWS::Region': localRegion,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};

/** Represents `AWS::NoValue`; members that resolve to it are dropped. */
const noValue = Symbol('AWS::NoValue');

const getAttSchema = z.tuple([z.string(), z.string()]);
const joinSchema = z.tuple([z.string(), z.unknown()]);
const stackOutputSchema = z.object({ StackName: z.string(), OutputName: z.string(), Region: z.string() });

type Context = {
  readonly assembly: CloudAssembly;
  readonly sqsUrl: string;
};

type Intrinsic = (context: Context, stack: StackTemplate, argument: unknown) => unknown;

/** `sqsUrl` is the origin of the SQS emulator; queue URLs start with it. */
export function createResolver(assembly: CloudAssembly, sqsUrl: string): Resolver {
  const context: Context = { assembly, sqsUrl };
  return {
    resolve: (stack, value) => resolve(context, stack, value),
    identity: (stack, logicalId) => identity(context, stack, logicalId),
  };
}

function resolve(context: Context, stack: StackTemplate, value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => resolve(context, stack, item)).filter((item) => item !== noValue);
  }
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value);
  const [[name, argument] = ['', undefined]] = entries;
  if (entries.length === 1 && (name === 'Ref' || name.startsWith('Fn::'))) {
    return applyIntrinsic(context, stack, name, argument);
  }
  return Object.fromEntries(
    entries
      .map(([key, member]) => [key, resolve(context, stack, member)] as const)
      .filter(([, member]) => member !== noValue),
  );
}

function applyIntrinsic(context: Context, stack: StackTemplate, name: string, argument: unknown): unknown {
  const intrinsic = intrinsics[name];
  if (intrinsic === undefined) {
    throw new Error(
      `Cannot resolve ${name} in the template of stack "${stack.name}": the local stack knows only ${Object.keys(intrinsics).join(', ')}`,
    );
  }
  return intrinsic(context, stack, argument);
}

/** The intrinsic functions that the templates use. */
const intrinsics: Readonly<Record<string, Intrinsic>> = {
  Ref: (context, stack, argument) => reference(context, stack, z.string().parse(argument)),
  'Fn::GetAtt': (context, stack, argument) => attribute(context, stack, ...getAttSchema.parse(argument)),
  'Fn::Join': (context, stack, argument) => {
    const [separator, items] = joinSchema.parse(argument);
    return z
      .array(z.coerce.string())
      .parse(resolve(context, stack, items))
      .join(separator);
  },
  'Fn::Sub': (context, stack, argument) => substitute(context, stack, z.string().parse(argument)),
  'Fn::GetStackOutput': (context, stack, argument) =>
    stackOutput(context, stack, stackOutputSchema.parse(resolve(context, stack, argument))),
};

function reference(context: Context, stack: StackTemplate, target: string): unknown {
  if (target === 'AWS::NoValue') return noValue;
  const pseudo = pseudoParameters[target];
  if (pseudo !== undefined) return pseudo;
  if (stack.parameterDefaults.has(target)) return stack.parameterDefaults.get(target);
  return identity(context, stack, target).ref;
}

function attribute(context: Context, stack: StackTemplate, target: string, name: string): string {
  const value = identity(context, stack, target).attributes[name];
  if (value === undefined) {
    throw new Error(
      `Cannot resolve attribute "${name}" of "${target}" in stack "${stack.name}": it has no local value`,
    );
  }
  return value;
}

/** Replaces references only: the CDK writes attributes with `Fn::Join`. */
function substitute(context: Context, stack: StackTemplate, template: string): string {
  return template.replace(/\$\{([^}]+)\}/g, (_match, name: string) =>
    String(reference(context, stack, name)),
  );
}

function stackOutput(
  context: Context,
  reader: StackTemplate,
  { StackName, OutputName, Region }: z.infer<typeof stackOutputSchema>,
): unknown {
  const stack = context.assembly.stacks.find(({ name }) => name === StackName);
  if (!stack?.outputs.has(OutputName) || Region !== localRegion) {
    throw new Error(
      `Cannot read output "${OutputName}" of stack "${StackName}" in ${Region} for stack "${reader.name}": the app has no such output there`,
    );
  }
  return resolve(context, stack, stack.outputs.get(OutputName));
}

function identity(context: Context, stack: StackTemplate, logicalId: string): ResourceIdentity {
  const resource = stack.resources.get(logicalId);
  if (resource === undefined) {
    throw new Error(
      `Cannot resolve "${logicalId}" in stack "${stack.name}": the template has no such resource`,
    );
  }
  const property = nameProperty(resource.type);
  const given = property === undefined ? undefined : resolve(context, stack, resource.properties[property]);
  return identityOf({
    type: resource.type,
    name: typeof given === 'string' ? given : generatedName(stack.name, logicalId),
    stackName: stack.name,
    logicalId,
    sqsUrl: context.sqsUrl,
  });
}

/**
 * Like a name that CloudFormation generates, without the random suffix. 64 characters are the shortest limit of any
 * service used.
 */
function generatedName(stackName: string, logicalId: string): string {
  return `${stackName.slice(0, Math.max(0, 63 - logicalId.length))}-${logicalId}`.slice(-64);
}
