/** A measured or computed value in a table: text, or a number that the output rounds. */
export type Cell = string | number | null;

export type BenchTable = {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** What the numbers mean and what they leave out; one sentence each. */
  readonly notes?: readonly string[];
};

/** A limit that the project sets itself, with the value of this run. */
export type Budget = { readonly label: string; readonly measured: number; readonly most: number };

export type BenchResult = {
  readonly tables: readonly BenchTable[];
  /** Shown below the tables. A budget that is exceeded makes the program fail. */
  readonly budgets: readonly Budget[];
};

export type BenchContext = {
  /** Reports progress; not part of the result. */
  readonly say: (line: string) => void;
  /** Aborted by Ctrl-C. A benchmark then ends every part that it started and throws. */
  readonly signal: AbortSignal;
  readonly options: BenchOptions;
};

export type BenchOptions = {
  /** Folder with the bundles of another build, which are measured in turn with the current ones. */
  readonly against?: string;
  /** Repetitions; as many as the benchmark needs without it. */
  readonly rounds?: number;
};

export type Benchmark = {
  readonly name: string;
  /** One line for the help text: what is measured, and about how long it takes. */
  readonly description: string;
  /** Whether `npm run bench` without a name runs it. */
  readonly isShort: boolean;
  readonly run: (context: BenchContext) => Promise<BenchResult>;
};
