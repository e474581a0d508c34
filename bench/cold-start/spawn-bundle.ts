import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

/** Milliseconds and bytes of one process that answered one event. */
export type Start = {
  /** From the spawn until the bundle is imported. */
  readonly importMs: number;
  /** From then until the answer. */
  readonly firstMs: number;
  readonly totalMs: number;
  /** Processor time of the process until the answer. */
  readonly cpuMs: number;
  readonly rss: number;
};

const reported = z.object({
  importedAt: z.number(),
  answeredAt: z.number(),
  cpuMs: z.number(),
  rss: z.number(),
  answer: z.unknown().optional(),
});

const failed = z.union([
  z.object({ statusCode: z.number().min(400) }),
  z.object({ batchItemFailures: z.array(z.unknown()).min(1) }),
]);

/** Milliseconds after which a start has failed. */
const patienceMs = 60_000;

export type SpawnRequest = {
  readonly runner: string;
  readonly bundle: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly event: object;
  /** Whether an error is the right answer, as for an unknown path. */
  readonly mayRefuse?: boolean;
  readonly signal: AbortSignal;
};

/** @throws Error with the output of the process, when it fails or answers with a failure */
export async function spawnBundle(request: SpawnRequest): Promise<Start> {
  const { runner, bundle, environment, event, signal } = request;
  const startedAt = performance.timeOrigin + performance.now();
  const child = spawn(process.execPath, [runner, bundle, JSON.stringify(event)], {
    env: { ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
  });
  const [, out, err, report] = child.stdio;
  if (!(report instanceof Readable))
    throw new Error('Cannot measure: the process has no pipe for its report');
  const [written, output] = await Promise.all([
    text(report),
    Promise.all([out, err].map((stream) => (stream === null ? '' : text(stream)))),
    once(child, 'close'),
  ]);
  if (written === '') throw new Error(`Cannot measure ${bundle}: ${output.join('\n')}`);
  const { importedAt, answeredAt, cpuMs, rss, answer } = reported.parse(JSON.parse(written));
  if (request.mayRefuse !== true && failed.safeParse(answer).success) {
    throw new Error(`Cannot measure ${bundle}: it answered ${JSON.stringify(answer)}\n${output.join('\n')}`);
  }
  return {
    importMs: importedAt - startedAt,
    firstMs: answeredAt - importedAt,
    totalMs: answeredAt - startedAt,
    cpuMs,
    rss,
  };
}
