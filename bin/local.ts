import { runLocalStack } from '../local/stack/command-line.ts';

await runLocalStack(process.argv.slice(2));
