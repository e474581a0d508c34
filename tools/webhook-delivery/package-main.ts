import { Command } from 'commander';
import { explainListen, listenProgram } from '../local/listen/command-line.ts';
import { outliveOutput } from '../local/stack/when-to-stop.ts';
import { verifyDeps, verifyProgram } from '../local/verify/verify-program.ts';
import { outputTo } from '../operator/cli/output.ts';
import { runProgram } from '../operator/cli/run-program.ts';

// The program `webhook-delivery` of the package for customers, which needs no clone. It is bundled into one file.
const print = (text: string): void => void process.stdout.write(text);

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

// Commander needs it; and older ones would colour what goes into a pipe.
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(`webhook-delivery needs Node.js 22.12 or later; this is ${process.versions.node}\n`);
  process.exit(1);
}
outliveOutput();
await runProgram(
  new Command('webhook-delivery')
    .description('Receive, verify and forward webhooks on your own machine.')
    .configureOutput(outputTo(print))
    .addCommand(listenProgram())
    .addCommand(verifyProgram(verifyDeps(print))),
  { explain: explainListen },
);
