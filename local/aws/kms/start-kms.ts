import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  answerJson,
  type LoopbackServer,
  listenOnLoopback,
  readBody,
} from '../../servers/loopback-server.ts';
import { KeyRing } from './key-ring.ts';
import { KmsError } from './kms-error.ts';
import { type KmsContext, kmsOperations } from './kms-operations.ts';

const contentType = 'application/x-amz-json-1.1';
const maxBodyBytes = 256 * 1024;

export type KmsOptions = {
  /** 0 takes any free one. */
  readonly port: number;
  /** ARNs of the keys that must exist. */
  readonly keyArns: readonly string[];
  /** Where the key material outlives the process, mode 0600; without it, keys are new in every run. */
  readonly dataFile?: string;
  /** Epoch milliseconds; for the creation date of keys. */
  readonly now?: () => number;
  readonly region?: string;
  readonly accountId?: string;
};

export type RunningKms = { readonly url: string; close(): Promise<void> };

/**
 * Starts a wire-level stand-in for KMS: Encrypt and Decrypt with real AES-256-GCM bound to the encryption
 * context, DescribeKey and CreateKey.
 *
 * @throws Error when the port is in use, an ARN is malformed or the data file holds something else.
 */
export async function startKms(options: KmsOptions): Promise<RunningKms> {
  const { now = Date.now, region = 'us-east-1', accountId = '000000000000' } = options;
  const server = createServer();
  const listener = await listenOnLoopback(server, options.port);
  const ring = await openRing(options, now(), listener);
  const context = { ring, now, arnPrefix: `arn:aws:kms:${region}:${accountId}:` };
  server.on('request', (request, response) => void answerKmsCall(context, request, response));
  return { url: `http://127.0.0.1:${listener.port}`, close: () => listener.close() };
}

async function openRing(options: KmsOptions, now: number, listener: LoopbackServer): Promise<KeyRing> {
  try {
    const ring = new KeyRing(options.dataFile ?? null);
    for (const arn of options.keyArns) ring.ensure(arn, now);
    return ring;
  } catch (error) {
    await listener.close();
    throw error;
  }
}

async function answerKmsCall(
  context: KmsContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const body = await readBody(request, maxBodyBytes);
    const target = String(request.headers['x-amz-target'] ?? '');
    const operation = kmsOperations[target.replace(/^TrentService\./, '')];
    if (operation === undefined) {
      throw new KmsError(
        'UnknownOperationException',
        `The local KMS does not serve ${target || 'this call'}.`,
      );
    }
    answerJson(response, 200, operation(context, parseBody(body)), contentType);
  } catch (error) {
    answerError(response, error);
  }
}

function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new KmsError('ValidationException', 'The body is not JSON.');
  }
}

function answerError(response: ServerResponse, error: unknown): void {
  const code = error instanceof KmsError ? error.code : 'KMSInternalException';
  const message = error instanceof Error ? error.message : String(error);
  response.setHeader('x-amzn-errortype', code);
  answerJson(response, code === 'KMSInternalException' ? 500 : 400, { __type: code, message }, contentType);
}
