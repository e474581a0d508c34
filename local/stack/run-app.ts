import { availableParallelism } from 'node:os';
import { createQueueReader } from '../aws/events/queue-reader.ts';
import { startScheduleRules } from '../aws/events/schedule-rules.ts';
import { startSqsPoller } from '../aws/events/sqs-poller.ts';
import type { RunningGateway } from '../aws/gateway/start-gateway.ts';
import { LambdaFunction } from '../aws/lambda/lambda-function.ts';
import type { AppModel } from '../template/app-model.ts';
import type { FunctionModel } from '../template/function-model.ts';
import type { Closers } from './closers.ts';
import type { CallService } from './service-client.ts';
import type { StackSettings } from './stack-options.ts';

export type AppRequest = {
  readonly model: AppModel;
  readonly environment: Readonly<Record<string, string>>;
  /** PEM certificates that the functions trust besides the usual ones. */
  readonly extraCertificates: readonly string[];
  readonly callSqs: CallService;
  readonly gateway: RunningGateway;
};

type Functions = ReadonlyMap<string, LambdaFunction>;

/**
 * Runs the functions of the model, and connects them to their queues, schedules and API. Resolves when everything
 * is connected; the functions go on loading, each at the latest when it is needed.
 */
export function runApp(
  settings: StackSettings,
  closers: Closers,
  request: AppRequest,
): { readonly warm: Promise<void> } {
  const functions = createFunctions(settings, request);
  closers.add(async () => {
    await Promise.all([...functions.values()].map((each) => each.close()));
  });
  connectQueues(settings, closers, request, functions);
  connectRules(settings, closers, request.model, functions);
  connectApi(request, functions);
  // The gateway was started first and has to be the first to end.
  closers.add(() => request.gateway.close(settings.drainMs));
  return { warm: warmUp(functions) };
}

function createFunctions(settings: StackSettings, request: AppRequest): Functions {
  return new Map(
    request.model.functions.map((model) => [
      model.arn,
      new LambdaFunction({
        model,
        environment: { ...request.environment, ...sessionOf(model), ...model.environment },
        extraCertificates: request.extraCertificates,
        onLogLine: (line) => settings.onLogLine(model.title, line),
      }),
    ]),
  );
}

/** On Lambda each function has a session of its own too: what stands before an emulator can tell by it who calls. */
function sessionOf({ name }: FunctionModel): Readonly<Record<string, string>> {
  return { AWS_SESSION_TOKEN: name };
}

function connectQueues(
  settings: StackSettings,
  closers: Closers,
  request: AppRequest,
  functions: Functions,
): void {
  for (const mapping of request.model.mappings) {
    const target = functionOf(functions, mapping.functionArn);
    const queue = request.model.queues.find(({ arn }) => arn === mapping.queueArn);
    if (queue === undefined) throw new Error(`Cannot poll "${mapping.queueArn}": the app has no such queue`);
    const poller = startSqsPoller({
      mapping,
      queue: createQueueReader(request.callSqs, queue.url),
      invoke: (event) => target.invoke(event),
      onError: (error) => settings.onLogLine(queue.name, String(error)),
    });
    closers.add(() => withinMs(settings.drainMs, poller.close()));
  }
}

function connectRules(
  settings: StackSettings,
  closers: Closers,
  model: AppModel,
  functions: Functions,
): void {
  const rules = startScheduleRules({
    rules: model.rules,
    timeScale: settings.timeScale,
    invoke: (functionArn, event) => functionOf(functions, functionArn).invoke(event),
  });
  closers.add(() => withinMs(settings.drainMs, rules.close()));
}

function connectApi({ model, gateway }: AppRequest, functions: Functions): void {
  const [api] = model.apis;
  if (api === undefined) throw new Error('Cannot serve the API: the app has none');
  gateway.serve({ api, invoke: (functionArn, event) => functionOf(functions, functionArn).invoke(event) });
}

function functionOf(functions: Functions, arn: string): LambdaFunction {
  const found = functions.get(arn);
  if (found === undefined) throw new Error(`Cannot invoke "${arn}": the app has no such function`);
  return found;
}

/** Loads as many functions at a time as there are cores: more would only make each of them later. */
async function warmUp(functions: Functions): Promise<void> {
  const waiting = functions.values();
  const lanes = Array.from({ length: availableParallelism() }, async () => {
    for (const each of waiting) await each.warmUp();
  });
  await Promise.all(lanes);
}

async function withinMs(limitMs: number, work: Promise<void>): Promise<void> {
  const limit = Promise.withResolvers<void>();
  const timer = setTimeout(limit.resolve, limitMs);
  await Promise.race([work, limit.promise]);
  clearTimeout(timer);
}
