import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export type SynthesisRequest = {
  /** Output folder of templates and assets. */
  readonly outDir: string;
  /** CDK context. */
  readonly context: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Runs the CDK app in a separate process, as the CDK CLI does. Without a change of its sources since an earlier run, the
 * process uses the assembly of that run.
 *
 * @throws Error with the output of the app, when it fails
 */
export async function synthesizeApp({ outDir, context, signal }: SynthesisRequest): Promise<void> {
  const child = spawn(process.execPath, ['bin/local-app.ts', JSON.stringify({ outDir, context })], {
    cwd: repository,
    env: {
      ...process.env,
      // Child processes do not inherit the compile cache of this process.
      NODE_COMPILE_CACHE: getCompileCacheDir(),
      // Validation takes longer than synthesis and matters only for deployments.
      CDK_VALIDATION: 'false',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  });
  const [[code], errorOutput] = await Promise.all([once(child, 'close'), text(child.stderr)]);
  if (code !== 0) throw new Error(`Cannot synthesize the CDK app:\n${errorOutput}`);
}
