import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { watchProcessors } from '../aws/events/idle-processor.ts';
import { createQueueReader } from '../aws/events/queue-reader.ts';
import { startScheduleRules } from '../aws/events/schedule-rules.ts';
import { type SqsPollerOptions, startSqsPoller } from '../aws/events/sqs-poller.ts';
import { folderOf } from '../aws/lambda/invocation-record.ts';
import { LambdaFunction } from '../aws/lambda/lambda-function.ts';
import { invokeInChain } from '../aws/lambda/message-chain.ts';
import type { EventSourceMapping, FunctionModel, Pipe } from '../template/function-model.ts';
import { within } from './lifecycle.ts';
import { localRoutes } from './local-routes.ts';
import type { BaseServices, TemplateServices } from './services.ts';
import type { StackSettings } from './stack-options.ts';

type Environment = Readonly<Record<string, string>>;
type Functions = ReadonlyMap<string, LambdaFunction>;

/**
 * Runs the functions of the model and connects them to their queues, schedules and API. A function loads on its first
 * invocation. The end of these parts waits for work in flight.
 *
 * @param environment variables of every function
 * @returns loads every function now
 */
export function runApp(
  settings: StackSettings,
  parts: AsyncDisposableStack,
  base: BaseServices & Pick<TemplateServices, 'fireNow'>,
  environment: Environment,
): () => Promise<void> {
  const { model, gateway, fireNow } = base;
  const functions = createFunctions(settings, base, environment);
  const invoke = (arn: string, event: unknown) => functionOf(functions, arn).invoke(event);
  const [api] = model.apis;
  if (api === undefined) throw new Error('Cannot serve the API: the app has none');
  // Finds all faults of the template before anything starts.
  const sources = [...model.mappings, ...model.pipes].map((mapping) =>
    pollerOptions(settings, base, functions, mapping),
  );
  const hasIdleProcessor = watchProcessors();

  parts.defer(async () => {
    await Promise.all([...functions.values()].map((each) => each.close()));
  });
  for (const source of sources) {
    const poller = startSqsPoller({ ...source, hasIdleProcessor });
    parts.defer(() => within(settings.drainMs, poller.close()));
  }
  const { timeScale, minRuleInterval: minInterval } = settings;
  const rules = startScheduleRules({ rules: model.rules, timeScale, minInterval, invoke });
  parts.defer(() => within(settings.drainMs, rules.close()));
  const invokeByName = (name: string, event: unknown) =>
    operatorFunctions(functions)
      .find(({ model: { name: own } }) => own === name)
      ?.invoke(event) ?? null;
  gateway.serve({ api, invoke, own: localRoutes({ fireNow, invoke: invokeByName }) });
  // The gateway started before the functions, but its requests need them, so it closes first.
  parts.defer(() => gateway.close(settings.drainMs));
  return () => warmUp(functions);
}

/** The operator's programs may invoke these, and no other function. */
function operatorFunctions(functions: Functions): readonly LambdaFunction[] {
  return [...functions.values()].filter(({ model }) => folderOf(model).startsWith('operator/'));
}

function createFunctions(
  settings: StackSettings,
  { model: app, receiver }: BaseServices,
  environment: Environment,
): Functions {
  return new Map(
    app.functions.map((model) => [
      model.arn,
      new LambdaFunction({
        model: withIdleTimeout(settings, withBundlesOf(settings.bundleFolder, model)),
        onInvocation: settings.onInvocation,
        // Lambda gives each function a session token too. Here it lets a proxy in front of an emulator identify the
        // caller.
        environment: { ...environment, AWS_SESSION_TOKEN: model.name, ...model.environment },
        extraCertificates: [receiver.certificate.cert],
        onLogLine: (line) => settings.onLogLine(model.title, line),
      }),
    ]),
  );
}

/** Replaces the function's bundle by that of another build, if the build has one. */
export function withBundlesOf(bundleFolder: string | undefined, model: FunctionModel): FunctionModel {
  if (bundleFolder === undefined) return model;
  const codeDirectory = path.join(bundleFolder, folderOf(model));
  return existsSync(path.join(codeDirectory, 'index.mjs')) ? { ...model, codeDirectory } : model;
}

/** A function that waits for a busy emulator must not end before the emulator responds. */
function withIdleTimeout({ idleTimeout }: StackSettings, model: FunctionModel): FunctionModel {
  return { ...model, timeoutSeconds: Math.max(model.timeoutSeconds, idleTimeout / 1_000) };
}

function pollerOptions(
  settings: StackSettings,
  { model, sqs }: BaseServices,
  functions: Functions,
  mapping: EventSourceMapping | Pipe,
): Omit<SqsPollerOptions, 'hasIdleProcessor'> {
  const target = 'functionArn' in mapping ? functionOf(functions, mapping.functionArn) : undefined;
  const queue = model.queues.find(({ arn }) => arn === mapping.queueArn);
  if (queue === undefined) throw new Error(`Cannot poll "${mapping.queueArn}": the app has no such queue`);
  return {
    mapping,
    queue: createQueueReader(sqs.call, queue.url),
    invoke: async (event) => {
      if (target !== undefined)
        return invokeInChain(target, event, (reason) => settings.onLogLine(target.model.title, reason));
      // A pipe passes messages to the operator, who here reads the output of the stack.
      for (const { body } of event.Records) settings.onLogLine('notices', body);
      return { ok: true, payload: null };
    },
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
