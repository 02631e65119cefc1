import type { DescMessage, MessageInitShape, MessageShape } from "@bufbuild/protobuf";

/** What a message is made from, as plain fields that can be spread into one another. */
export type Init<Desc extends DescMessage> = Exclude<MessageInitShape<Desc>, MessageShape<Desc>>;
