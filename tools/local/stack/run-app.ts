import { availableParallelism } from 'node:os';
import { createQueueReader } from '../aws/events/queue-reader.ts';
import { startScheduleRules } from '../aws/events/schedule-rules.ts';
import { type SqsPollerOptions, startSqsPoller } from '../aws/events/sqs-poller.ts';
import type { RunningGateway } from '../aws/gateway/start-gateway.ts';
import { LambdaFunction } from '../aws/lambda/lambda-function.ts';
import { invokeInChain } from '../aws/lambda/message-chain.ts';
import type { AppModel } from '../template/app-model.ts';
import type { EventSourceMapping, FunctionModel } from '../template/function-model.ts';
import { withBundlesOf } from './bundle-folder.ts';
import { within } from './lifecycle.ts';
import type { CallService } from './service-client.ts';
import type { StackSettings } from './stack-options.ts';

export type AppRequest = {
  readonly model: AppModel;
  readonly environment: Readonly<Record<string, string>>;
  /** PEM certificates that the functions trust in addition to the default ones. */
  readonly extraCertificates: readonly string[];
  readonly callSqs: CallService;
  readonly gateway: RunningGateway;
};

type Functions = ReadonlyMap<string, LambdaFunction>;

/** Disposal waits for work in flight, then ends the functions. */
export type RunningApp = AsyncDisposable & {
  /** Loads every function now. */
  readonly warmUp: () => Promise<void>;
};

/**
 * Runs the functions of the model and connects them to their queues, schedules and API. A function loads on its first
 * invocation.
 */
export function runApp(settings: StackSettings, request: AppRequest): RunningApp {
  const { model, gateway } = request;
  const parts = new AsyncDisposableStack();
  const functions = createFunctions(settings, request);
  const invoke = (arn: string, event: unknown) => functionOf(functions, arn).invoke(event);
  const [api] = model.apis;
  if (api === undefined) throw new Error('Cannot serve the API: the app has none');
  // Finds all faults of the template before anything starts.
  const sources = model.mappings.map((mapping) => pollerOptions(settings, request, functions, mapping));

  parts.defer(async () => {
    await Promise.all([...functions.values()].map((each) => each.close()));
  });
  for (const source of sources) {
    const poller = startSqsPoller(source);
    parts.defer(() => within(settings.drainMs, poller.close()));
  }
  const rules = startScheduleRules({ rules: model.rules, timeScale: settings.timeScale, invoke });
  parts.defer(() => within(settings.drainMs, rules.close()));
  gateway.serve({ api, invoke });
  // The gateway started before the functions, but its requests need them, so it closes first.
  parts.defer(() => gateway.close(settings.drainMs));
  return {
    warmUp: () => warmUp(functions),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

function createFunctions(settings: StackSettings, request: AppRequest): Functions {
  return new Map(
    request.model.functions.map((model) => [
      model.arn,
      new LambdaFunction({
        model: withIdleTimeout(settings, withBundlesOf(settings.bundleFolder, model)),
        onInvocation: settings.onInvocation,
        // Lambda gives each function a session token too. Here it lets a proxy in front of an emulator identify the
        // caller.
        environment: { ...request.environment, AWS_SESSION_TOKEN: model.name, ...model.environment },
        extraCertificates: request.extraCertificates,
        onLogLine: (line) => settings.onLogLine(model.title, line),
      }),
    ]),
  );
}

/** A function that waits for a busy emulator must not end before the emulator responds. */
function withIdleTimeout({ idleTimeout }: StackSettings, model: FunctionModel): FunctionModel {
  return { ...model, timeoutSeconds: Math.max(model.timeoutSeconds, idleTimeout / 1_000) };
}

function pollerOptions(
  settings: StackSettings,
  { model, callSqs }: AppRequest,
  functions: Functions,
  mapping: EventSourceMapping,
): SqsPollerOptions {
  const target = functionOf(functions, mapping.functionArn);
  const queue = model.queues.find(({ arn }) => arn === mapping.queueArn);
  if (queue === undefined) throw new Error(`Cannot poll "${mapping.queueArn}": the app has no such queue`);
  return {
    mapping,
    queue: createQueueReader(callSqs, queue.url),
    invoke: (event) =>
      invokeInChain(target, event, (reason) => settings.onLogLine(target.model.title, reason)),
    onError: (error) => settings.onLogLine(queue.name, String(error)),
  };
}

function functionOf(functions: Functions, arn: string): LambdaFunction {
  const found = functions.get(arn);
  if (found === undefined) throw new Error(`Cannot invoke "${arn}": the app has no such function`);
  return found;
}

/** Loads one function per core at a time: more would only delay each of them. */
async function warmUp(functions: Functions): Promise<void> {
  const waiting = functions.values();
  const lanes = Array.from({ length: availableParallelism() }, async () => {
    for (const each of waiting) await each.warmUp();
  });
  await Promise.all(lanes);
}
