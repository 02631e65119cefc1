/** Keeps the process alive until it is released: while a server is away, nothing else may do so. */
export function stayAlive(): () => void {
  const timer = setInterval(() => undefined, 2 ** 30);
  return () => clearInterval(timer);
}
