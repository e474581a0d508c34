import { messageOf, runProgram } from '../../operator/run-program.ts';
import { crashProgram } from './crash-program.ts';

const setExitCode = (code: number) => {
  process.exitCode = code;
};

await runProgram(crashProgram({ print: console.log, setExitCode }), { explain: messageOf });
