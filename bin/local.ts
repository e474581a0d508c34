import { runLocalStack } from '../local/command-line.ts';

await runLocalStack(process.argv.slice(2));
