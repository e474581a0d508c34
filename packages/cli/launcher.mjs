#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

// `webhook-delivery` in a clone. JavaScript that old releases run, as npm starts it with the Node.js of the system: it
// starts the program with the Node.js 24 that `npm ci` installs.
const root = fileURLToPath(new URL('../..', import.meta.url));
const node = fileURLToPath(
  new URL(`../../node_modules/node/bin/node${process.platform === 'win32' ? '.exe' : ''}`, import.meta.url),
);

if (existsSync(node)) {
  start();
} else {
  process.stderr.write(
    `${node} is missing: run npm ci --ignore-scripts=false in ${root}, which installs the Node.js 24 of webhook-delivery\n`,
  );
  process.exitCode = 1;
}

function start() {
  const program = fileURLToPath(new URL('../../bin/webhook-delivery.ts', import.meta.url));
  const child = spawn(node, [program, ...process.argv.slice(2)], {
    stdio: 'inherit',
    // The program watches this process: a killed one forwards no signal.
    env: { ...process.env, WEBHOOKS_LAUNCHER: String(process.pid) },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  if (process.env.npm_lifecycle_event === 'npx') endWithParent(child);
  child.on('error', (error) => {
    process.stderr.write(`Cannot start ${node}: ${error.message}. Run npm ci in ${root} again\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? code : 128 + constants.signals[signal];
  });
}

/** Under npx, a shell starts this process, and forwards no signal. */
function endWithParent(child) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    child.kill('SIGHUP');
  }, 1_000);
  timer.unref();
}
