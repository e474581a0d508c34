import { crashProgram } from './crash-program.ts';

const setExitCode = (code: number) => {
  process.exitCode = code;
};

await crashProgram({ print: console.log, setExitCode }).parseAsync();
