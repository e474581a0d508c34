import { z } from 'zod';
import type { CloudAssembly, StackTemplate } from './cloud-assembly.ts';
import { identityOf, localAccount, localRegion, nameProperty, type ResourceIdentity } from './identities.ts';

/** Replaces intrinsic functions in a value of a template by plain values. */
export type Resolver = {
  /** Throws an Error that names the function and the stack when the value holds one that is not known here. */
  readonly resolve: (stack: StackTemplate, value: unknown) => unknown;
  readonly identity: (stack: StackTemplate, logicalId: string) => ResourceIdentity;
};

const pseudoParameters: Readonly<Record<string, string>> = {
  'AWS::AccountId': localAccount,
  'AWS::Region': localRegion,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};

/** Stands for `AWS::NoValue`; members that resolve to it are dropped. */
const noValue = Symbol('AWS::NoValue');

const getAttSchema = z
  .union([z.tuple([z.string(), z.string()]), z.string()])
  .transform((given) => (typeof given === 'string' ? splitOnce(given) : given));
const joinSchema = z.tuple([z.string(), z.unknown()]);
const selectSchema = z.tuple([z.coerce.number(), z.unknown()]);
const splitSchema = z.tuple([z.string(), z.unknown()]);
const subSchema = z
  .union([z.tuple([z.string(), z.record(z.string(), z.unknown())]), z.string()])
  .transform((given) =>
    typeof given === 'string'
      ? { template: given, variables: {} }
      : { template: given[0], variables: given[1] },
  );

const stackOutputSchema = z.object({ StackName: z.string(), OutputName: z.string(), Region: z.string() });

type Context = {
  readonly assembly: CloudAssembly;
  readonly sqsUrl: string;
};

type Intrinsic = (context: Context, stack: StackTemplate, argument: unknown) => unknown;

/** `sqsUrl` is the origin of the SQS emulator; queue URLs are made of it. */
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
  const [first] = entries;
  if (entries.length === 1 && first !== undefined && isIntrinsicName(first[0])) {
    return applyIntrinsic(context, stack, first[0], first[1]);
  }
  return Object.fromEntries(
    entries
      .map(([key, member]) => [key, resolve(context, stack, member)] as const)
      .filter(([, member]) => member !== noValue),
  );
}

function isIntrinsicName(name: string): boolean {
  return name === 'Ref' || name.startsWith('Fn::');
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

const intrinsics: Readonly<Record<string, Intrinsic>> = {
  Ref: (context, stack, argument) => reference(context, stack, z.string().parse(argument)),
  'Fn::GetAtt': (context, stack, argument) => attribute(context, stack, getAttSchema.parse(argument)),
  'Fn::Join': (context, stack, argument) => {
    const [separator, items] = joinSchema.parse(argument);
    return z
      .array(z.coerce.string())
      .parse(resolve(context, stack, items))
      .join(separator);
  },
  'Fn::Split': (context, stack, argument) => {
    const [separator, text] = splitSchema.parse(argument);
    return z
      .string()
      .parse(resolve(context, stack, text))
      .split(separator);
  },
  'Fn::Select': (context, stack, argument) => {
    const [index, items] = selectSchema.parse(argument);
    return z.array(z.unknown()).parse(resolve(context, stack, items))[index];
  },
  'Fn::Sub': (context, stack, argument) => substitute(context, stack, subSchema.parse(argument)),
  'Fn::ImportValue': (context, stack, argument) =>
    importValue(context, stack, z.string().parse(resolve(context, stack, argument))),
  'Fn::GetStackOutput': (context, stack, argument) =>
    stackOutput(context, stack, stackOutputSchema.parse(resolve(context, stack, argument))),
};

function reference(context: Context, stack: StackTemplate, target: string): unknown {
  if (target === 'AWS::NoValue') return noValue;
  if (target === 'AWS::StackName') return stack.name;
  if (target === 'AWS::StackId') return stackId(stack);
  const pseudo = pseudoParameters[target];
  if (pseudo !== undefined) return pseudo;
  if (stack.parameterDefaults.has(target)) return stack.parameterDefaults.get(target);
  return identity(context, stack, target).ref;
}

function attribute(
  context: Context,
  stack: StackTemplate,
  [target, name]: readonly [string, string],
): string {
  const value = identity(context, stack, target).attributes[name];
  if (value === undefined) {
    throw new Error(
      `Cannot resolve attribute "${name}" of "${target}" in stack "${stack.name}": it has no local value`,
    );
  }
  return value;
}

function substitute(
  context: Context,
  stack: StackTemplate,
  { template, variables }: z.infer<typeof subSchema>,
): string {
  return template.replace(/\$\{(!?)([^}]+)\}/g, (_match, literal: string, name: string) => {
    if (literal === '!') return `\${${name}}`;
    if (Object.hasOwn(variables, name)) return String(resolve(context, stack, variables[name]));
    if (name.includes('.')) return attribute(context, stack, splitOnce(name));
    return String(reference(context, stack, name));
  });
}

function importValue(context: Context, importer: StackTemplate, exportName: string): unknown {
  for (const stack of context.assembly.stacks) {
    for (const output of stack.outputs.values()) {
      if (output.exportName === undefined) continue;
      if (resolve(context, stack, output.exportName) === exportName) {
        return resolve(context, stack, output.value);
      }
    }
  }
  throw new Error(
    `Cannot import "${exportName}" into stack "${importer.name}": no stack of the app exports it`,
  );
}

function stackOutput(
  context: Context,
  reader: StackTemplate,
  { StackName, OutputName, Region }: z.infer<typeof stackOutputSchema>,
): unknown {
  const stack = context.assembly.stacks.find(({ name }) => name === StackName);
  const output = stack?.outputs.get(OutputName);
  if (stack === undefined || output === undefined || Region !== localRegion) {
    throw new Error(
      `Cannot read output "${OutputName}" of stack "${StackName}" in ${Region} for stack "${reader.name}": the app has no such output there`,
    );
  }
  return resolve(context, stack, output.value);
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
    name: typeof given === 'string' ? given : madeUpName(stack.name, logicalId),
    stackName: stack.name,
    logicalId,
    sqsUrl: context.sqsUrl,
  });
}

function stackId(stack: StackTemplate): string {
  return `arn:aws:cloudformation:${localRegion}:${localAccount}:stack/${stack.name}/local`;
}

function splitOnce(text: string): [string, string] {
  const dot = text.indexOf('.');
  return dot === -1 ? [text, ''] : [text.slice(0, dot), text.slice(dot + 1)];
}

/** As CloudFormation does it, without the random end. 64 characters are the shortest limit of any service used. */
function madeUpName(stackName: string, logicalId: string): string {
  return `${stackName.slice(0, Math.max(0, 63 - logicalId.length))}-${logicalId}`.slice(-64);
}
