import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { AwsError, type RunningService, serveAwsCalls, sessionOf } from '../../../tools/local/aws/aws-api.ts';
import type { CallService } from '../../../tools/local/stack/service-client.ts';
import type { CloudAssembly, StackTemplate } from '../../../tools/local/template/cloud-assembly.ts';
import { localAccount, localRegion } from '../../../tools/local/template/identities.ts';
import { Resolver } from '../../../tools/local/template/intrinsics.ts';
import { type Policy, readPolicy } from './policy-evaluator.ts';
import { accessRequests } from './table-requests.ts';

const functionSchema = z.looseObject({
  Role: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) }),
});
const policySchema = z.looseObject({
  Roles: z.array(z.object({ Ref: z.string() })),
  PolicyDocument: z.looseObject({ Statement: z.array(z.looseObject({ Action: z.unknown() })) }),
});

const inputSchema = z.looseObject({});

type Policies = ReadonlyMap<string, Policy>;

/**
 * A front of the DynamoDB emulator, which allows everything. It refuses each call that the role of its function does
 * not allow, as AWS would. The session of the credentials names the function; a caller without a session, such as a
 * test, may do everything.
 */
export class PermissionGate {
  #policies: Policies = new Map();
  #service: RunningService | null = null;

  /**
   * @param call makes a call of the emulator
   * @returns the origin to use instead
   */
  async inFrontOf(call: CallService): Promise<string> {
    this.#service = await serveAwsCalls(0, async ({ request, action, body }) => {
      const input = inputSchema.parse(body);
      this.#check(request, action, input);
      return await call(action, input);
    });
    return this.#service.url;
  }

  /** Call it before the first function runs: a session without a policy may do nothing. */
  enforce(assembly: CloudAssembly): void {
    this.#policies = policiesOf(assembly);
  }

  async close(): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]();
  }

  /** @throws AwsError */
  #check(request: IncomingMessage, action: string, input: object): void {
    const session = sessionOf(request);
    if (session === undefined) return;
    const policy = this.#policies.get(session);
    const refused = accessRequests(action, input)
      .map((asked) => ({ ...asked, resource: arnOf(asked.resource) }))
      .find((asked) => policy?.(asked) !== true);
    if (refused !== undefined)
      throw new AwsError('AccessDeniedException', `not authorized to perform ${JSON.stringify(refused)}`);
  }
}

function arnOf(table: string): string {
  return `arn:aws:dynamodb:${localRegion}:${localAccount}:table/${table}`;
}

/** The policy statements about the table, by the name of the function. */
function policiesOf(assembly: CloudAssembly): Policies {
  const resolver = new Resolver(assembly, 'http://127.0.0.1');
  const ofStack = (stack: StackTemplate) =>
    [...stack.resources]
      .filter(([, { type }]) => type === 'AWS::Lambda::Function')
      .map(([logicalId, { properties }]) => {
        const [role] = functionSchema.parse(properties).Role['Fn::GetAtt'];
        const statements = statementsOf(stack, role).map((statement) => resolver.resolve(stack, statement));
        return [resolver.identity(stack, logicalId).ref, readPolicy(statements)] as const;
      });
  return new Map(assembly.stacks.flatMap(ofStack));
}

function statementsOf(stack: StackTemplate, role: string): readonly object[] {
  return [...stack.resources.values()]
    .filter(({ type }) => type === 'AWS::IAM::Policy')
    .map(({ properties }) => policySchema.parse(properties))
    .filter(({ Roles }) => Roles.some(({ Ref }) => Ref === role))
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .filter(({ Action }) => JSON.stringify(Action).includes('"dynamodb:'));
}
