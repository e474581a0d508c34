/**
 * Entry point of a thread that acts as the Lambda runtime: loads one bundle and runs its handler for each message. It
 * imports no package, because it loads once for each function.
 */
import tls from 'node:tls';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { InvokeMessage, InvokeResult, RuntimeData, RuntimeMessage } from './protocol.ts';
import { runInTrace } from './request-trace.ts';

type Handler = (event: unknown, context: unknown) => unknown;

const data: RuntimeData = workerData;
const send = (message: RuntimeMessage): void => parentPort?.postMessage(message);

try {
  trust(data.extraCertificates);
  const handler = await loadHandler();
  parentPort?.on('message', (message: InvokeMessage) => void run(handler, message));
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
 */
function trust(certificates: readonly string[]): void {
  const extra = [...tls.getCACertificates('extra'), ...certificates];
  if (extra.length === 0) return;
  tls.setDefaultCACertificates([...new Set([...tls.getCACertificates('default'), ...extra])]);
}

async function loadHandler(): Promise<Handler> {
  const bundle: object = await import(pathToFileURL(data.bundleFile).href);
  const handler: unknown = Object.entries(bundle).find(([name]) => name === data.exportName)?.[1];
  if (typeof handler !== 'function') {
    throw new Error(
      `Cannot run "${data.functionName}": ${data.bundleFile} does not export ${data.exportName}`,
    );
  }
  return (event, context) => handler(event, context);
}

async function run(handler: Handler, message: InvokeMessage): Promise<void> {
  const startedAt = performance.now();
  const result = await resultOf(handler, message);
  send({ kind: 'done', id: message.id, durationMs: performance.now() - startedAt, result });
}

async function resultOf(handler: Handler, message: InvokeMessage): Promise<InvokeResult> {
  try {
    const result = await runInTrace(message.trace, () =>
      handler(JSON.parse(message.event), contextOf(message)),
    );
    return { ok: true, payload: JSON.parse(JSON.stringify(result) ?? 'null') };
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

function contextOf({ requestId, deadline }: InvokeMessage): object {
  return {
    awsRequestId: requestId,
    functionName: data.functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: data.functionArn,
    memoryLimitInMB: String(data.memoryMegabytes),
    logGroupName: `/aws/lambda/${data.functionName}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
}
