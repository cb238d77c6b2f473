/** Timers and deferred promises. */

/** A promise with its settling functions. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

export function deferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** Waits, or returns early when the signal is aborted. Removes its timer and its listener in both cases. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}

/**
 * Calls `act` when the signal is aborted, or immediately if it already is. Returns a function that removes the
 * listener.
 */
export function onAbort(signal: AbortSignal | undefined, act: (reason: unknown) => void): () => void {
  if (!signal) return () => undefined;
  const react = () => act(signal.reason);
  if (signal.aborted) react();
  else signal.addEventListener("abort", react, { once: true });
  return () => signal.removeEventListener("abort", react);
}
