import { createInterface } from 'node:readline';

// Kills processes when the program that started this one ends. That program holds the other end of standard input,
// and writes the id of each process when it starts, and the negative id when it has ended.

const running = new Set<number>();

function killAll(): void {
  for (const id of running) {
    try {
      process.kill(id, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
  process.exit();
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const id = Number(line);
    if (id > 0) running.add(id);
    else running.delete(-id);
  })
  .on('close', killAll);
process.on('SIGTERM', killAll);
