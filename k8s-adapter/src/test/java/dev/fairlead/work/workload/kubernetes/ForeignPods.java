package dev.fairlead.work.workload.kubernetes;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import java.util.Map;

/** Pods of other owners. */
public final class ForeignPods {
  private ForeignPods() {}

  /** Small, without a token, and as restricted as any namespace may require. */
  public static PodSpec spec(String node) {
    return new PodSpecBuilder()
        .withNodeName(node)
        .withRestartPolicy("Never")
        .withAutomountServiceAccountToken(false)
        .withServiceAccountName("somebody")
        .withNewSecurityContext()
        .withRunAsNonRoot(true)
        .withRunAsUser(1000L)
        .withNewSeccompProfile(null, "RuntimeDefault")
        .endSecurityContext()
        .addNewContainer()
        .withName("main")
        .withImage("registry.example/other:1")
        .withNewSecurityContext()
        .withAllowPrivilegeEscalation(false)
        .withNewCapabilities()
        .addToDrop("ALL")
        .endCapabilities()
        .endSecurityContext()
        .withNewResources()
        .withRequests(Map.of("cpu", new Quantity("1500m"), "memory", new Quantity("1Gi")))
        .endResources()
        .endContainer()
        .build();
  }

  public static void namespace(TestCluster cluster, String name) {
    if (cluster.admin().namespaces().withName(name).get() == null) {
      cluster
          .admin()
          .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
          .create();
    }
    if (cluster.admin().serviceAccounts().inNamespace(name).withName("somebody").get() == null) {
      cluster
          .admin()
          .resource(
              new ServiceAccountBuilder()
                  .withNewMetadata()
                  .withName("somebody")
                  .withNamespace(name)
                  .endMetadata()
                  .build())
          .create();
    }
  }
}
