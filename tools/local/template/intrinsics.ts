import { z } from 'zod';
import type { CloudAssembly, StackTemplate } from './cloud-assembly.ts';
import { identityOf, localAccount, localRegion, nameProperties, type ResourceIdentity } from './identities.ts';

/** Members that resolve to `AWS::NoValue` are dropped. */
const pseudoParameters: ReadonlyMap<unknown, string | undefined> = new Map([
  ['AWS::AccountId', localAccount],
  ['AWS::Region', localRegion],
  ['AWS::Partition', 'aws'],
  ['AWS::URLSuffix', 'amazonaws.com'],
  ['AWS::NoValue', undefined],
]);

const getAttSchema = z.tuple([z.string(), z.string()]);
const joinSchema = z.tuple([z.string(), z.unknown()]);
const stackOutputSchema = z.object({ StackName: z.string(), OutputName: z.string(), Region: z.string() });

/** One resource of the app. */
export type AppResource = ResourceIdentity & {
  readonly arn: string;
  /** Resolves intrinsic functions when it is read, so that unread properties need not be resolvable. */
  readonly properties: unknown;
};

/** Replaces the intrinsic functions in template values with plain values. */
export class Resolver {
  readonly #assembly: CloudAssembly;
  readonly #sqsUrl: string;

  /** @param sqsUrl origin of the SQS emulator; queue URLs start with it */
  constructor(assembly: CloudAssembly, sqsUrl: string) {
    this.#assembly = assembly;
    this.#sqsUrl = sqsUrl;
  }

  /** All resources of a type. */
  find(type: string): readonly AppResource[] {
    const resolve = this.resolve.bind(this);
    return this.#assembly.stacks.flatMap((stack) =>
      [...stack.resources]
        .filter(([, resource]) => resource.type === type)
        .map(([logicalId, resource]) => {
          const { ref, attributes } = this.identity(stack, logicalId);
          return {
            ref,
            arn: attributes.Arn ?? ref,
            attributes,
            get properties() {
              return resolve(stack, resource.properties);
            },
          };
        }),
    );
  }

  /**
   * Value of a stack output.
   *
   * @throws Error when no stack has the output
   */
  output(name: string): string {
    const stack = this.#assembly.stacks.find(({ outputs }) => outputs.has(name));
    if (stack === undefined) throw new Error(`Cannot read output "${name}": no stack of the app has it`);
    return z.string().parse(this.resolve(stack, stack.outputs.get(name)));
  }

  /** @throws Error that names the function and the stack when the value contains an unsupported function */
  resolve(stack: StackTemplate, value: unknown): unknown {
    if (Array.isArray(value)) {
      return value.map((item) => this.resolve(stack, item)).filter((item) => item !== undefined);
    }
    if (value === null || typeof value !== 'object') return value;
    const entries = Object.entries(value);
    const [[name, argument] = ['', undefined]] = entries;
    if (entries.length === 1 && (name === 'Ref' || name.startsWith('Fn::'))) {
      return this.#apply(stack, name, argument);
    }
    const members = entries.map(([key, member]) => [key, this.resolve(stack, member)] as const);
    return Object.fromEntries(members.filter(([, member]) => member !== undefined));
  }

  /** @throws Error when the stack has no such resource */
  identity(stack: StackTemplate, logicalId: string): ResourceIdentity {
    const resource = stack.resources.get(logicalId);
    if (resource === undefined) {
      throw new Error(`Cannot resolve "${logicalId}" in stack "${stack.name}": the template has no such resource`);
    }
    const { type, properties } = resource;
    const given = this.resolve(stack, properties[nameProperties[type] ?? '']);
    const name = typeof given === 'string' ? given : generatedName(stack.name, logicalId);
    return identityOf({ type, name, stack: stack.name, logicalId }, this.#sqsUrl);
  }

  /** The intrinsic functions that the templates use. */
  readonly #intrinsics: Readonly<Record<string, (stack: StackTemplate, argument: unknown) => unknown>> = {
    Ref: (stack, argument) =>
      pseudoParameters.has(argument)
        ? pseudoParameters.get(argument)
        : this.identity(stack, z.string().parse(argument)).ref,
    'Fn::GetAtt': (stack, argument) => {
      const [target, name] = getAttSchema.parse(argument);
      const value = this.identity(stack, target).attributes[name];
      if (value !== undefined) return value;
      throw new Error(
        `Cannot resolve attribute "${name}" of "${target}" in stack "${stack.name}": it has no local value`,
      );
    },
    'Fn::Join': (stack, argument) => {
      const [separator, items] = joinSchema.parse(argument);
      return z.array(z.coerce.string()).parse(this.resolve(stack, items)).join(separator);
    },
    // Replaces references only: the CDK writes attributes with `Fn::Join`.
    'Fn::Sub': (stack, argument) =>
      z
        .string()
        .parse(argument)
        .replace(/\$\{([^}]+)\}/g, (_match, Ref: string) => String(this.resolve(stack, { Ref }))),
    'Fn::GetStackOutput': (reader, argument) => {
      const { StackName, OutputName, Region } = stackOutputSchema.parse(this.resolve(reader, argument));
      const stack = this.#assembly.stacks.find(({ name }) => name === StackName);
      if (stack?.outputs.has(OutputName) && Region === localRegion) {
        return this.resolve(stack, stack.outputs.get(OutputName));
      }
      throw new Error(
        `Cannot read output "${OutputName}" of stack "${StackName}" in ${Region} for stack "${reader.name}": the app has no such output there`,
      );
    },
    'Fn::ImportValue': (reader, argument) => {
      const name = z.string().parse(argument);
      const stack = this.#assembly.stacks.find(({ exports }) => exports.has(name));
      if (stack !== undefined) return this.resolve(stack, stack.exports.get(name));
      throw new Error(`Cannot import "${name}" for stack "${reader.name}": no stack of the app exports it`);
    },
  };

  #apply(stack: StackTemplate, name: string, argument: unknown): unknown {
    const intrinsic = this.#intrinsics[name];
    if (intrinsic !== undefined) return intrinsic(stack, argument);
    throw new Error(
      `Cannot resolve ${name} in the template of stack "${stack.name}": the local stack knows only ${Object.keys(this.#intrinsics).join(', ')}`,
    );
  }
}

/**
 * Like a name that CloudFormation generates, without the random suffix. 64 characters are the shortest limit of any
 * service used.
 */
function generatedName(stackName: string, logicalId: string): string {
  return `${stackName.slice(0, Math.max(0, 63 - logicalId.length))}-${logicalId}`.slice(-64);
}
