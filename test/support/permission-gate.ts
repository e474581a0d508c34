import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as z from 'zod';
import { answerJson, type LoopbackServer, listenOnLoopback, readBody } from '../../local/loopback-server.ts';
import type { CloudAssembly, StackTemplate } from '../../local/template/cloud-assembly.ts';
import { localAccount, localRegion } from '../../local/template/identities.ts';
import { createResolver } from '../../local/template/intrinsics.ts';
import { type AccessRequest, isAllowed } from './policy-evaluator.ts';
import { accessRequests } from './table-requests.ts';

const functionSchema = z.looseObject({
  Role: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) }),
});
const policySchema = z.looseObject({
  Roles: z.array(z.object({ Ref: z.string() })),
  PolicyDocument: z.looseObject({ Statement: z.array(z.looseObject({ Action: z.unknown() })) }),
});

const largestBody = 20 * 1024 * 1024;

type Policies = ReadonlyMap<string, readonly unknown[]>;

/**
 * Stands before the DynamoDB emulator, which allows everything, and refuses as AWS would what the role of a function does
 * not allow. Functions are told apart by the session of their credentials; who has none, such as a test, may do all.
 */
export class PermissionGate {
  #target = '';
  #policies: Policies = new Map();
  #server: LoopbackServer | null = null;

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

  /** To be called before the first function runs: a session without a policy may do nothing. */
  enforce(assembly: CloudAssembly): void {
    this.#policies = policiesOf(assembly);
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await readBody(incoming, largestBody);
    const refused = this.#refusedOf(incoming, body);
    if (refused === undefined) return await this.#pass(incoming, body, outgoing);
    const message = `not authorized to perform ${JSON.stringify(refused)}`;
    answerJson(outgoing, 400, { __type: 'com.amazon.coral.service#AccessDeniedException', Message: message });
  }

  #refusedOf({ headers }: IncomingMessage, body: Buffer): AccessRequest | undefined {
    const session = headers['x-amz-security-token'];
    if (typeof session !== 'string') return undefined;
    const action = String(headers['x-amz-target']).replace(/^.*\./, '');
    const statements = this.#policies.get(session) ?? [];
    return accessRequests(action, JSON.parse(body.toString()))
      .map((request) => ({ ...request, resource: arnOf(request.resource) }))
      .find((request) => !isAllowed(statements, request));
  }

  async #pass(
    { method, url, headers }: IncomingMessage,
    body: Buffer,
    outgoing: ServerResponse,
  ): Promise<void> {
    const given = Object.entries(headers).filter(([name]) =>
      /^(x-amz|authorization|content-type)/.test(name),
    );
    try {
      const answer = await fetch(this.#target + url, {
        method: method ?? 'POST',
        headers: given.map(([name, value]): [string, string] => [name, String(value)]),
        ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      outgoing.writeHead(answer.status, {
        'content-type': answer.headers.get('content-type') ?? 'application/x-amz-json-1.0',
        'content-length': bytes.length,
        ...checksumOf(answer.headers),
      });
      outgoing.end(bytes);
    } catch {
      outgoing.destroy();
    }
  }
}

/** The SDK compares it with the body. */
function checksumOf(headers: Headers): Readonly<Record<string, string>> {
  const checksum = headers.get('x-amz-crc32');
  return checksum === null ? {} : { 'x-amz-crc32': checksum };
}

function arnOf(table: string): string {
  return `arn:aws:dynamodb:${localRegion}:${localAccount}:table/${table}`;
}

/** Statements about the table by the name of the function. */
function policiesOf(assembly: CloudAssembly): Policies {
  const resolver = createResolver(assembly, 'http://127.0.0.1');
  const ofStack = (stack: StackTemplate) =>
    [...stack.resources]
      .filter(([, { type }]) => type === 'AWS::Lambda::Function')
      .map(([logicalId, { properties }]) => {
        const [role] = functionSchema.parse(properties).Role['Fn::GetAtt'];
        const statements = statementsOf(stack, role).map((statement) => resolver.resolve(stack, statement));
        return [resolver.identity(stack, logicalId).ref, statements] as const;
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
