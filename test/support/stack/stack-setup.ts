import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findFreePort } from '../../../tools/local/servers/free-port.ts';
import type { StackFile } from '../../../tools/local/stack/stack-file.ts';
import { type RunningStack, startStack } from '../../../tools/local/stack/start.ts';
import { synthesizeApp } from '../../../tools/local/stack/synthesize-app.ts';
import { readCloudAssembly } from '../../../tools/local/template/cloud-assembly.ts';
import { PermissionGate } from '../aws/permission-gate.ts';

/** The waits of 10 and 50 minutes become 0.5 and 2.5 seconds. */
const timeScale = 1200;

/** Nothing is lost, so no test needs the sweep and the audit, each of which reads the rows of all customers. */
const minRuleInterval = 60 * 60_000;

declare module 'vitest' {
  export interface ProvidedContext {
    readonly stack: {
      readonly info: StackFile;
      /** Trusted origins at free ports of localhost, for the one test file that follows the pages. */
      readonly ownOrigins: readonly string[];
      /** The same, one for each receiver in `examples`. */
      readonly exampleOrigins: readonly string[];
      /** The same, for `listen` of the package for customers. */
      readonly packageOrigin: string;
      /** Names of the functions by the folders of their handlers: the sessions that the table knows. */
      readonly sessions: Readonly<Record<string, string>>;
    };
  }
}

let stack: RunningStack | undefined;
let gate: PermissionGate | undefined;
let dir: string;

/**
 * One stack with a fast clock for all end-to-end tests; each test makes its own customers. Its functions have the
 * permissions of their roles on the table, as on AWS.
 */
export async function setup(project: TestProject): Promise<void> {
  dir = await mkdtemp(join(tmpdir(), 'e2e-'));
  const permissions = new PermissionGate();
  gate = permissions;
  const origin = async () => `https://localhost:${await findFreePort()}`;
  const ownOrigins = [await origin(), await origin()];
  const exampleOrigins = [await origin(), await origin(), await origin()];
  const packageOrigin = await origin();
  stack = await startStack({
    port: 0,
    trustedOrigins: [...ownOrigins, ...exampleOrigins, packageOrigin],
    listenPorts: [await findFreePort(), await findFreePort()],
    timeScale,
    minRuleInterval,
    stateDir: dir,
    stackFile: null,
    wrapService: async (service, url, call) =>
      service === 'dynamodb' && call !== undefined ? permissions.inFrontOf(call) : url,
    synthesize: async (request) => {
      await synthesizeApp(request);
      permissions.enforce(await readCloudAssembly(request.outDir));
    },
  });
  await stack.warmUp();
  const { info, model } = stack;
  const sessions = model.functions.map(({ title, name }) => [title.replace(/^.*: /, ''), name]);
  const named = Object.fromEntries(sessions);
  project.provide('stack', { info, ownOrigins, exampleOrigins, packageOrigin, sessions: named });
}

export async function teardown(): Promise<void> {
  await stack?.close();
  await gate?.close();
  await rm(dir, { recursive: true, force: true });
}
