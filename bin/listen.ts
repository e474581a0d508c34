import { runListen } from '../local/listen/command-line.ts';

await runListen(process.argv.slice(2));
