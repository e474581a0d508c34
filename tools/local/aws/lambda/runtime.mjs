// @ts-check
/**
 * Entry point of a thread that acts as the Lambda runtime: loads one bundle and runs its handler for each message. It
 * imports no package, because it loads once for each function. For the same reason it is JavaScript: each thread would
 * load Node's compiler for its types, which takes longer than all else that starts a function.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import path from 'node:path';
import tls from 'node:tls';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

/** @import { InvokeMessage, InvokeResult, RuntimeData, RuntimeMessage } from './protocol.ts' */
/** @typedef {(event: unknown, context: unknown) => unknown} Handler */

/** Lambda's limit of a result, as JSON. */
const maxResultBytes = 6_291_556;

/** @type {RuntimeData} */
const { model, extraCertificates } = workerData;
/** @type {AsyncLocalStorage<string | undefined>} */
const trace = new AsyncLocalStorage();
/** @type {(message: RuntimeMessage) => void} */
const send = (message) => parentPort?.postMessage(message);

try {
  trust(extraCertificates);
  traceMessages();
  const handler = await loadHandler();
  parentPort?.on('message', (/** @type {InvokeMessage} */ message) => void run(handler, message));
  send({ kind: 'ready' });
} catch (error) {
  send({
    kind: 'init_failed',
    errorMessage: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  process.exitCode = 1;
}

/**
 * Node reads NODE_EXTRA_CA_CERTS once per process, before the stack creates its certificate. A thread without the
 * variable does not trust its certificates by default, so this adds both kinds.
 *
 * @param {readonly string[]} certificates
 */
function trust(certificates) {
  const extra = [...tls.getCACertificates('extra'), ...certificates];
  if (extra.length === 0) return;
  tls.setDefaultCACertificates([...new Set([...tls.getCACertificates('default'), ...extra])]);
}

/**
 * Adds the trace header of an invocation to every message that it sends.
 *
 * In Lambda, the AWS SDK does that: it reads the trace from a variable, and knows Lambda by another. Here invocations
 * share their variables, and functions refuse local settings where the second one is set.
 */
function traceMessages() {
  // An import would load a second HTTP client for each function.
  const { ClientRequest } = process.getBuiltinModule('node:http');
  subscribe('http.client.request.created', (message) => {
    const header = trace.getStore();
    /** @type {{ readonly request?: unknown }} */
    const { request } = Object(message);
    if (header === undefined || !(request instanceof ClientRequest)) return;
    const sendsMessages = String(request.getHeader('x-amz-target')).startsWith('AmazonSQS.SendMessage');
    if (sendsMessages) request.setHeader('x-amzn-trace-id', header);
  });
}

/** @returns {Promise<Handler>} */
async function loadHandler() {
  const [moduleName, exportName = ''] = model.handler.split('.');
  const file = path.join(model.codeDirectory, `${moduleName}.mjs`);
  /** @type {Readonly<Record<string, unknown>>} */
  const bundle = await import(pathToFileURL(file).href);
  const handler = bundle[exportName];
  if (typeof handler === 'function') return (event, context) => handler(event, context);
  throw new Error(`Cannot run "${model.name}": ${file} does not export ${exportName}`);
}

/** @type {(handler: Handler, message: InvokeMessage) => Promise<void>} */
async function run(handler, message) {
  const startedAt = performance.now();
  const result = await resultOf(handler, message);
  send({ kind: 'done', id: message.id, durationMs: performance.now() - startedAt, result });
}

/** @type {(handler: Handler, message: InvokeMessage) => Promise<InvokeResult>} */
async function resultOf(handler, message) {
  try {
    const result = await trace.run(message.trace, () => handler(JSON.parse(message.event), contextOf(message)));
    const text = JSON.stringify(result) ?? 'null';
    if (Buffer.byteLength(text) <= maxResultBytes) return { ok: true, payload: JSON.parse(text) };
    const errorMessage = `Response payload size exceeded maximum allowed payload size (${maxResultBytes} bytes).`;
    return { ok: false, errorType: 'Function.ResponseSizeTooLarge', errorMessage };
  } catch (error) {
    // Like Lambda, writes the error of a failed invocation to the function's log.
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    return {
      ok: false,
      errorType: error instanceof Error ? error.name : 'Error',
      errorMessage: error instanceof Error ? error.message : String(error),
    };
  }
}

/** @param {InvokeMessage} message */
function contextOf({ requestId, deadline }) {
  return {
    awsRequestId: requestId,
    functionName: model.name,
    functionVersion: '$LATEST',
    invokedFunctionArn: model.arn,
    memoryLimitInMB: String(model.memoryMegabytes),
    logGroupName: `/aws/lambda/${model.name}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
}
