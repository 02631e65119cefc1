const lineFeed = 0x0a;

/** Cuts bytes into lines wherever they were cut on their way. What does not end in a line break is kept for the next call. */
export function createLineSplitter(): (chunk: Buffer) => Generator<string, void> {
  let rest: Buffer[] = [];
  return function* split(chunk) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      // Decoded as a whole: a character may lie across two chunks.
      const line = Buffer.concat([...rest, chunk.subarray(start, end)]).toString();
      rest = [];
      start = end + 1;
      if (line !== "") yield line;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  };
}
