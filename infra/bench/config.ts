const FIGURES_FILE = 'BENCH_FIGURES'

/** The file that a bench tells its figures to, a line each; `undefined` when nobody asks for them. */
export function figuresFile(): string | undefined {
  return process.env[FIGURES_FILE] || undefined
}

/** The environment of a bench that is to tell its figures to a file. */
export function tellingTo(file: string): NodeJS.ProcessEnv {
  return { ...process.env, [FIGURES_FILE]: file }
}
