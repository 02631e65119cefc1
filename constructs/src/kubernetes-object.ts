import { ApiObject, type ApiObjectMetadata } from "cdk8s";
import type { Construct } from "constructs";

/** What an author says of an object: all but what the construct knows, and what the cluster answers. */
export type ObjectProps<Manifest> = Omit<Manifest, "apiVersion" | "kind" | "metadata" | "status"> & {
  readonly metadata?: ApiObjectMetadata;
};

type Identity = { readonly apiVersion: string; readonly kind: string };

/** An object in a tree of constructs; what the constructs that are generated for each kind have in common. */
export abstract class KubernetesObject<Props extends { readonly metadata?: ApiObjectMetadata }> extends ApiObject {
  protected constructor(scope: Construct, id: string, { apiVersion, kind }: Identity, props: Props) {
    super(scope, id, { ...props, apiVersion, kind });
  }
}
