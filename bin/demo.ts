import { Command } from 'commander';
import { runDemo } from '../tools/local/parties/customer/run-demo.ts';
import { startStack } from '../tools/local/stack/start.ts';
import { messageOf, runProgram } from '../tools/operator/cli/run-program.ts';

/** Retries after 10 and 50 minutes take 0.5 and 2.5 seconds. */
const timeScale = 1200;

await runProgram(
  new Command('npm run demo --')
    .description('Shows the service in seven steps, on a separate local stack with a fast clock.')
    .action(tour),
);

async function tour(): Promise<void> {
  console.log('Starting a separate local stack for the tour (a few seconds) …');
  const stack = await startStack({ port: 0, timeScale, stateDir: '.local/demo', stackFile: null });
  try {
    await runDemo(stack.info, (line) => console.log(line));
    console.log('The receiver confirmed all seven steps.');
  } catch (error) {
    console.error(`The tour stopped: ${messageOf(error)}`);
    process.exitCode = 1;
  } finally {
    await stack.close();
  }
}
