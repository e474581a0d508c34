import { z } from 'zod';
import type { CloudAssembly, StackTemplate } from './cloud-assembly.ts';
import { identityOf, localAccount, localRegion, nameProperty, type ResourceIdentity } from './identities.ts';

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

/** Replaces the intrinsic functions in template values with plain values. */
export class Resolver {
  readonly #assembly: CloudAssembly;
  readonly #sqsUrl: string;

  /** @param sqsUrl origin of the SQS emulator; queue URLs start with it */
  constructor(assembly: CloudAssembly, sqsUrl: string) {
    this.#assembly = assembly;
    this.#sqsUrl = sqsUrl;
  }

  /** @throws Error that names the function and the stack when the value contains an unsupported function */
  resolve(stack: StackTemplate, value: unknown): unknown {
    if (Array.isArray(value)) {
      return value.map((item) => this.resolve(stack, item)).filter((item) => item !== noValue);
    }
    if (value === null || typeof value !== 'object') return value;
    const entries = Object.entries(value);
    const [[name, argument] = ['', undefined]] = entries;
    if (entries.length === 1 && (name === 'Ref' || name.startsWith('Fn::'))) {
      return this.#apply(stack, name, argument);
    }
    const members = entries.map(([key, member]) => [key, this.resolve(stack, member)] as const);
    return Object.fromEntries(members.filter(([, member]) => member !== noValue));
  }

  /** @throws Error when the stack has no such resource */
  identity(stack: StackTemplate, logicalId: string): ResourceIdentity {
    const resource = stack.resources.get(logicalId);
    if (resource === undefined) {
      throw new Error(
        `Cannot resolve "${logicalId}" in stack "${stack.name}": the template has no such resource`,
      );
    }
    const property = nameProperty(resource.type);
    const given = property === undefined ? undefined : this.resolve(stack, resource.properties[property]);
    return identityOf({
      type: resource.type,
      name: typeof given === 'string' ? given : generatedName(stack.name, logicalId),
      stackName: stack.name,
      logicalId,
      sqsUrl: this.#sqsUrl,
    });
  }

  /** The intrinsic functions that the templates use. */
  readonly #intrinsics: Readonly<Record<string, (stack: StackTemplate, argument: unknown) => unknown>> = {
    Ref: (stack, argument) => this.#reference(stack, z.string().parse(argument)),
    'Fn::GetAtt': (stack, argument) => this.#attribute(stack, ...getAttSchema.parse(argument)),
    'Fn::Join': (stack, argument) => {
      const [separator, items] = joinSchema.parse(argument);
      return z.array(z.coerce.string()).parse(this.resolve(stack, items)).join(separator);
    },
    // Replaces references only: the CDK writes attributes with `Fn::Join`.
    'Fn::Sub': (stack, argument) =>
      z
        .string()
        .parse(argument)
        .replace(/\$\{([^}]+)\}/g, (_match, name: string) => String(this.#reference(stack, name))),
    'Fn::GetStackOutput': (stack, argument) => this.#stackOutput(stack, this.resolve(stack, argument)),
  };

  #apply(stack: StackTemplate, name: string, argument: unknown): unknown {
    const intrinsic = this.#intrinsics[name];
    if (intrinsic === undefined) {
      throw new Error(
        `Cannot resolve ${name} in the template of stack "${stack.name}": the local stack knows only ${Object.keys(this.#intrinsics).join(', ')}`,
      );
    }
    return intrinsic(stack, argument);
  }

  #reference(stack: StackTemplate, target: string): unknown {
    if (target === 'AWS::NoValue') return noValue;
    const pseudo = pseudoParameters[target];
    if (pseudo !== undefined) return pseudo;
    if (stack.parameterDefaults.has(target)) return stack.parameterDefaults.get(target);
    return this.identity(stack, target).ref;
  }

  #attribute(stack: StackTemplate, target: string, name: string): string {
    const value = this.identity(stack, target).attributes[name];
    if (value === undefined) {
      throw new Error(
        `Cannot resolve attribute "${name}" of "${target}" in stack "${stack.name}": it has no local value`,
      );
    }
    return value;
  }

  #stackOutput(reader: StackTemplate, argument: unknown): unknown {
    const { StackName, OutputName, Region } = stackOutputSchema.parse(argument);
    const stack = this.#assembly.stacks.find(({ name }) => name === StackName);
    if (!stack?.outputs.has(OutputName) || Region !== localRegion) {
      throw new Error(
        `Cannot read output "${OutputName}" of stack "${StackName}" in ${Region} for stack "${reader.name}": the app has no such output there`,
      );
    }
    return this.resolve(stack, stack.outputs.get(OutputName));
  }
}

/**
 * Like a name that CloudFormation generates, without the random suffix. 64 characters are the shortest limit of any
 * service used.
 */
function generatedName(stackName: string, logicalId: string): string {
  return `${stackName.slice(0, Math.max(0, 63 - logicalId.length))}-${logicalId}`.slice(-64);
}
