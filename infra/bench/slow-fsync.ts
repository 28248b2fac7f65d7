import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/*
 * Postgres flushes its log with fdatasync (or fsync); the real call is made first, then the delay is added, as a slower disk would.
 * commit_delay is no substitute: it applies only when several commits wait, and it is exactly what a group commit would profit from.
 */
const source = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static void rest(void) {
  struct timespec delay = { 0, DELAY_US * 1000L };
  nanosleep(&delay, 0);
}

int fdatasync(int file) {
  static int (*real)(int);
  if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
  int result = real(file);
  rest();
  return result;
}

int fsync(int file) {
  static int (*real)(int);
  if (!real) real = dlsym(RTLD_NEXT, "fsync");
  int result = real(file);
  rest();
  return result;
}
`

export interface SlowFsync {
  /** For the environment of Postgres. */
  readonly environment: { readonly LD_PRELOAD: string }
  remove(): void
}

/** Builds a library that makes every fsync of a process take so much longer; `null` where there is no C compiler. */
export function buildSlowFsync(delayUs: number): SlowFsync | null {
  if (process.platform !== 'linux') return null
  const directory = mkdtempSync(join(tmpdir(), 'wangian-fsync-'))
  // Postgres runs as another user when we are root.
  chmodSync(directory, 0o755)
  const [code, library] = [join(directory, 'slow-fsync.c'), join(directory, 'slow-fsync.so')]
  const remove = () => rmSync(directory, { recursive: true, force: true })
  writeFileSync(code, source)
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O2', `-DDELAY_US=${delayUs}`, '-o', library, code, '-ldl'], {
      stdio: 'pipe',
    })
  } catch {
    remove()
    return null
  }
  return { environment: { LD_PRELOAD: library }, remove }
}
