import { spawn } from 'node:child_process';

// Runs one command for as long as the program that started this one runs. That program holds the other end of
// standard input: when it ends, even by `kill -9`, the pipe closes, and this program ends the command.

const killDelayMs = 3000;

const [command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });

child.on('spawn', () => process.stdout.write(`${child.pid}\n`));
child.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
child.on('exit', (code) => process.exit(code ?? 1));

function stop(): void {
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGKILL'), killDelayMs);
}

process.stdin.on('end', stop).on('error', stop).resume();
process.on('SIGTERM', stop);
// A closed pipe must not end this process before the command.
process.stdout.on('error', () => {});
