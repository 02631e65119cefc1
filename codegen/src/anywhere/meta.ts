import type { Field, Module, Ref } from "../api/model.ts";

const text: Ref = { kind: "string" };
const texts: Ref = { kind: "map", elem: text };
const own = (name: string): Ref => ({ kind: "named", module: "meta/v1", name });
const listOf = (elem: Ref): Ref => ({ kind: "array", elem });
const field = (name: string, doc: string, type: Ref, optional = true): Field => ({ name, doc, type, optional });
const time = "A point in time as RFC 3339, for example `2026-01-31T12:00:00Z`.";

/** The metadata of objects, of which a CRD says nothing. https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/ */
export const metaModule: Module = {
  name: "meta/v1",
  package: "meta/v1",
  constants: [],
  types: [
    { name: "FieldsV1", doc: "A set of fields as a trie of their paths.", alias: { kind: "object" } },
    {
      name: "ListMeta",
      doc: "The metadata of a list.",
      struct: {
        extends: [],
        fields: [
          field("selfLink", "Deprecated: it is not set any more.", text),
          field("resourceVersion", "The version of the cluster's state that the list shows.", text),
          field("continue", "Where the next page of the list begins.", text),
          field("remainingItemCount", "How many items follow in further pages, where that is known.", {
            kind: "number",
          }),
          field("shardInfo", "Which shard of the whole the list shows.", own("ShardInfo")),
        ],
      },
    },
    {
      name: "ManagedFieldsEntry",
      doc: "Which fields belong to one who writes the object.",
      struct: {
        extends: [],
        fields: [
          field("manager", "Who it is.", text),
          field("operation", "How it was written.", text),
          field("apiVersion", "The version in which it was written.", text),
          field("time", "When fields were last added or changed.", own("Time")),
          field("fieldsType", "The format of the fields; always FieldsV1.", text),
          field("fieldsV1", "The fields.", own("FieldsV1")),
          field("subresource", "The subresource through which it was written.", text),
        ],
      },
    },
    {
      name: "ObjectMeta",
      doc: "The metadata of an object.",
      struct: {
        extends: [],
        fields: [
          field("name", "The name; unique for its kind in its namespace.", text),
          field("generateName", "What the server begins a name with that it makes up.", text),
          field("namespace", "The namespace, for kinds that are in one.", text),
          field("selfLink", "Deprecated: it is not set any more.", text),
          field("uid", "Unique in time and space; set by the server.", text),
          field("resourceVersion", "Changes with every change of the object; set by the server.", text),
          field("generation", "Counts the states of the spec; set by the server.", { kind: "number" }),
          field("creationTimestamp", "When it was made; set by the server.", own("Time")),
          field("deletionTimestamp", "When it will go, where its deletion was asked for.", own("Time")),
          field("deletionGracePeriodSeconds", "How many seconds it has then.", { kind: "number" }),
          field("labels", "By what it can be selected.", texts),
          field("annotations", "What tools keep with it.", texts),
          field("ownerReferences", "With whom it goes.", listOf(own("OwnerReference"))),
          field("finalizers", "Who has to do something before it goes.", listOf(text)),
          field("managedFields", "Which fields belong to whom.", listOf(own("ManagedFieldsEntry"))),
        ],
      },
    },
    {
      name: "OwnerReference",
      doc: "An object with which another one goes.",
      struct: {
        extends: [],
        fields: [
          field("apiVersion", "", text, false),
          field("kind", "", text, false),
          field("name", "", text, false),
          field("uid", "", text, false),
          field("controller", "Whether it is the one that manages the object.", { kind: "boolean" }),
          field("blockOwnerDeletion", "Whether it cannot go before the object, where it goes in the foreground.", {
            kind: "boolean",
          }),
        ],
      },
    },
    {
      name: "ShardInfo",
      doc: "Which shard of the whole a list shows.",
      struct: { extends: [], fields: [field("selector", "By what the shard was selected.", text, false)] },
    },
    { name: "Time", doc: time, alias: text },
  ],
};
