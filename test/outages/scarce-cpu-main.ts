import { readdirSync, readFileSync } from 'node:fs';

/**
 * Holds a process to a share of one processor, as Lambda does by memory: stops it when it has used its share, and lets
 * it go on when it may use more. Runs until it is killed, or the process ends.
 *
 * Usage: node test/outages/scarce-cpu-main.ts <process id> <share>
 */
const [pid = NaN, share = NaN] = process.argv.slice(2).map(Number);

/** Milliseconds of processor time that a process can save up: Lambda grants a share of each 20 ms. */
const saved = 20 * share;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

let credit = saved;
let used = usedBy(pid);
let at = performance.now();
let isStopped = false;
process.once('SIGTERM', () => process.exit());
process.once('exit', () => signal('SIGCONT'));
tick();

function tick(): void {
  Atomics.wait(sleeper, 0, 0, 1);
  const [now, nowUsed] = [performance.now(), usedBy(pid)];
  credit = Math.min(saved, credit + (now - at) * share - (nowUsed - used));
  [at, used] = [now, nowUsed];
  const mustStop = credit <= 0;
  if (mustStop !== isStopped) signal(mustStop ? 'SIGSTOP' : 'SIGCONT');
  isStopped = mustStop;
  setImmediate(tick);
}

/** Milliseconds of processor time that all threads of the process have used. */
function usedBy(id: number): number {
  try {
    const threads = readdirSync(`/proc/${id}/task`);
    const times = threads.map((thread) =>
      Number(readFileSync(`/proc/${id}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    );
    return times.reduce((sum, time) => sum + time, 0) / 1e6;
  } catch {
    return process.exit();
  }
}

function signal(name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
