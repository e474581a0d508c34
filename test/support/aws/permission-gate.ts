import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import * as z from 'zod';
import {
  type LoopbackServer,
  listenOnLoopback,
  readBody,
  sendJson,
} from '../../../tools/local/servers/loopback-server.ts';
import type { CloudAssembly, StackTemplate } from '../../../tools/local/template/cloud-assembly.ts';
import { localAccount, localRegion } from '../../../tools/local/template/identities.ts';
import { Resolver } from '../../../tools/local/template/intrinsics.ts';
import { type AccessRequest, type Policy, readPolicy } from './policy-evaluator.ts';
import { accessRequests } from './table-requests.ts';

const functionSchema = z.looseObject({
  Role: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) }),
});
const policySchema = z.looseObject({
  Roles: z.array(z.object({ Ref: z.string() })),
  PolicyDocument: z.looseObject({ Statement: z.array(z.looseObject({ Action: z.unknown() })) }),
});

const largestBody = 20 * 1024 * 1024;

type Policies = ReadonlyMap<string, Policy>;

/**
 * A proxy before the DynamoDB emulator, which allows everything. The proxy refuses each call that the role of its
 * function does not allow, as AWS would. The session of the credentials names the function; a caller without a session,
 * such as a test, may do everything.
 */
export class PermissionGate {
  #target = '';
  #policies: Policies = new Map();
  #server: LoopbackServer | null = null;
  readonly #agent = new Agent({ keepAlive: true });

  static async open(): Promise<PermissionGate> {
    const gate = new PermissionGate();
    const server = createServer((incoming, outgoing) => void gate.#serve(incoming, outgoing));
    gate.#server = await listenOnLoopback(server, 0);
    return gate;
  }

  /**
   * @param target origin of the emulator
   * @returns the origin to use instead
   */
  inFrontOf(target: string): string {
    this.#target = target;
    return `http://127.0.0.1:${this.#server?.port ?? 0}`;
  }

  /** Call it before the first function runs: a session without a policy may do nothing. */
  enforce(assembly: CloudAssembly): void {
    this.#policies = policiesOf(assembly);
  }

  async close(): Promise<void> {
    await this.#server?.close();
    this.#agent.destroy();
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await readBody(incoming, largestBody);
    const refused = this.#refusedOf(incoming, body);
    if (refused === undefined) return this.#pass(incoming, body, outgoing);
    const message = `not authorized to perform ${JSON.stringify(refused)}`;
    sendJson(outgoing, 400, { __type: 'com.amazon.coral.service#AccessDeniedException', Message: message });
  }

  #refusedOf({ headers }: IncomingMessage, body: Buffer): AccessRequest | undefined {
    const session = headers['x-amz-security-token'];
    if (typeof session !== 'string') return undefined;
    const action = String(headers['x-amz-target']).replace(/^.*\./, '');
    const policy = this.#policies.get(session);
    return accessRequests(action, JSON.parse(body.toString()))
      .map((request) => ({ ...request, resource: arnOf(request.resource) }))
      .find((request) => policy?.(request) !== true);
  }

  #pass({ method, url, headers }: IncomingMessage, body: Buffer, outgoing: ServerResponse): void {
    // The service refuses requests that are addressed to another origin.
    const addressed = { ...headers, host: new URL(this.#target).host };
    const options = { method, headers: addressed, agent: this.#agent };
    const upstream = request(this.#target + url, options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    upstream.on('error', () => outgoing.destroy());
    upstream.end(body);
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
