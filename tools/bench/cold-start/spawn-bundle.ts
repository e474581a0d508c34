import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';

/** Milliseconds of one process that answered one event. */
export type Start = {
  /** From the spawn until the bundle is imported. */
  readonly importMs: number;
  /** From then until the answer. */
  readonly firstMs: number;
  readonly totalMs: number;
  /** Processor time of the process until the answer. */
  readonly cpuMs: number;
};

const reported = z.object({
  importedAt: z.number(),
  answeredAt: z.number(),
  cpuMs: z.number(),
  answer: z.unknown().optional(),
});

const failed = z.union([
  z.object({ statusCode: z.number().min(400) }),
  z.object({ batchItemFailures: z.array(z.unknown()).min(1) }),
]);

/** Milliseconds after which a start has failed. */
const timeoutMs = 60_000;

export type SpawnRequest = {
  readonly runner: string;
  readonly bundle: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly event: object;
  /** Whether an error is the right answer, as for an unknown path. */
  readonly mayRefuse: boolean;
  readonly signal: AbortSignal;
};

/** @throws Error with the output of the process, when it fails or answers with a failure */
export async function spawnBundle(request: SpawnRequest): Promise<Start> {
  const { runner, bundle, environment, event, signal } = request;
  const startedAt = performance.timeOrigin + performance.now();
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [runner, bundle, JSON.stringify(event)],
    { env: { ...environment }, signal, timeout: timeoutMs },
  );
  const lastLine = stdout.slice(stdout.lastIndexOf('\n') + 1);
  const { importedAt, answeredAt, cpuMs, answer } = reported.parse(JSON.parse(lastLine));
  if (!request.mayRefuse && failed.safeParse(answer).success) {
    throw new Error(`Cannot measure ${bundle}: it answered ${lastLine}\n${stdout}${stderr}`);
  }
  return {
    importMs: importedAt - startedAt,
    firstMs: answeredAt - importedAt,
    totalMs: answeredAt - startedAt,
    cpuMs,
  };
}
