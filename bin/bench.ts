import { benchProgram } from '../bench/program.ts';

const program = benchProgram({
  out: (text) => process.stdout.write(text),
  note: (text) => process.stderr.write(text),
});

try {
  await program.parseAsync();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
