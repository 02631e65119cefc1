/** How a call ended. https://grpc.github.io/grpc/core/md_doc_statuscodes.html */
export const status = {
  ok: 0,
  invalidArgument: 3,
  deadlineExceeded: 4,
  permissionDenied: 7,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;

export type Status = (typeof status)[keyof typeof status];

/** As trailers have it: printable ASCII but `%` stands for itself. https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
export const encodeDetails = (details: string): string =>
  details.replaceAll(/[^ -$&-~]/gu, (character) => (character.isWellFormed() ? encodeURIComponent(character) : "?"));
