package dev.fairlead.work.workload.kubernetes;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Foreign objects in a namespace of ours, some with the labels of another installation and names
 * like ours. Fairlead must not change them.
 */
public final class Bystanders implements AutoCloseable {
  private static final String MARK = "somebody";
  private final KubernetesClient admin;
  private final String namespace;
  private final String before;

  /** Creates them. The namespace must exist. */
  public Bystanders(TestCluster cluster, String namespace, String node) {
    this.admin = cluster.admin();
    this.namespace = namespace;
    Map<String, String> another =
        Map.of(
            MARK,
            "else",
            "fairlead.dev/installation",
            "another",
            "fairlead.dev/managed-by",
            "fairlead",
            "fairlead.dev/attempt",
            "aaaaaaaaaaaaaaaaaaaaaaaaaa");
    ForeignPods.namespace(cluster, namespace);
    admin
        .resource(
            new ConfigMapBuilder()
                .withMetadata(meta("fl-aaaaaaaaaaaaaaaaaaaaaaaaaa", another))
                .build())
        .create();
    admin
        .resource(
            new ServiceBuilder()
                .withMetadata(meta("fl-aaaaaaaaaaaaaaaaaaaaaaaaaa", another))
                .withNewSpec()
                .withClusterIP("None")
                .endSpec()
                .build())
        .create();
    admin.resource(pod("fl-aaaaaaaaaaaaaaaaaaaaaaaaaa-worker-0-0", another, node)).create();
    admin.resource(pod("plain", Map.of(MARK, "else"), node)).create();
    before = state();
  }

  private Pod pod(String name, Map<String, String> labels, String node) {
    return new PodBuilder()
        .withMetadata(meta(name, labels))
        .withSpec(ForeignPods.spec(node))
        .build();
  }

  private ObjectMeta meta(String name, Map<String, String> labels) {
    return new ObjectMetaBuilder()
        .withName(name)
        .withNamespace(namespace)
        .withLabels(labels)
        .withFinalizers("somebody.example/else")
        .build();
  }

  /** The changed bystanders. */
  public String changes() {
    String now = state();
    return now.equals(before) ? "" : before + "\n is now \n" + now;
  }

  /** Names of all other objects, in the form of {@link TestCluster#left}. */
  public Set<String> besides(List<String> left) {
    Set<String> besides = new TreeSet<>(left);
    objects().forEach(o -> besides.remove(o.getKind() + "/" + o.getMetadata().getName()));
    return besides;
  }

  /** Removes them, since no other component can. */
  @Override
  public void close() {
    for (HasMetadata object : objects()) {
      admin
          .resource(object)
          .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\":{\"finalizers\":null}}");
      admin.resource(object).withGracePeriod(0).delete();
    }
  }

  /** They write their own status, so only fields that other clients would write are compared. */
  private String state() {
    List<String> lines = new ArrayList<>();
    for (HasMetadata object : objects()) {
      ObjectMeta meta = object.getMetadata();
      lines.add(
          object.getKind()
              + "/"
              + meta.getName()
              + " uid="
              + meta.getUid()
              + " deleted="
              + meta.getDeletionTimestamp()
              + " finalizers="
              + meta.getFinalizers()
              + " labels="
              + new TreeMap<>(meta.getLabels())
              + " generation="
              + meta.getGeneration()
              + (object instanceof Pod ? "" : " version=" + meta.getResourceVersion()));
    }
    return String.join("\n", lines);
  }

  private List<HasMetadata> objects() {
    List<HasMetadata> objects = new ArrayList<>();
    objects.addAll(admin.pods().inNamespace(namespace).withLabel(MARK).list().getItems());
    objects.addAll(admin.services().inNamespace(namespace).withLabel(MARK).list().getItems());
    objects.addAll(admin.configMaps().inNamespace(namespace).withLabel(MARK).list().getItems());
    return objects;
  }
}
