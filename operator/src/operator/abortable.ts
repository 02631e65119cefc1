/** Resolves with the work, or with nothing as soon as it is aborted; the work itself goes on. */
export const abortable = <T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> =>
  Promise.race([
    work,
    new Promise<undefined>((resolve) => {
      if (signal.aborted) resolve(undefined);
      else signal.addEventListener("abort", () => resolve(undefined), { once: true });
    }),
  ]);

/** Waits, unless it is aborted. */
export const pause = async (delayMs: number, signal: AbortSignal): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  await abortable(new Promise<void>((resolve) => (timer = setTimeout(resolve, delayMs))), signal);
  clearTimeout(timer);
};
