package dev.fairlead.fleet.cluster.connection;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A right on a Kubernetes cluster. {@link #ALL} is the complete list of rights that Fairlead uses,
 * and {@code deploy/cluster.yaml} grants them.
 *
 * @param group API group, empty for the core group
 * @param resource plural name, with a subresource if needed, such as {@code pods/log}
 * @param verb verb of the API server, such as {@code list}
 */
public record ClusterRight(String group, String resource, String verb)
    implements Comparable<ClusterRight> {
  /** Name of the only object that the right may change. */
  public static final String FENCE = "fairlead-fence";

  /** Rights of the ClusterRole {@code fairlead}, in the order of the manifest. */
  public static final List<ClusterRight> ALL =
      Stream.of(
              of("", "nodes", "list", "watch"),
              of("", "pods", "get", "list", "watch", "create", "delete", "patch"),
              of("", "pods/log", "get"),
              of("", "configmaps", "get", "list", "watch", "create", "delete"),
              of("", "services", "get", "create", "delete"),
              of("", "secrets", "create", "delete"),
              of("policy", "poddisruptionbudgets", "get", "create", "delete", "patch"),
              of("", "namespaces", "get", "list", "create", "patch"),
              of("", "serviceaccounts", "get", "create", "patch"),
              of("networking.k8s.io", "networkpolicies", "get", "list", "create", "patch"),
              of("", "resourcequotas", "get", "list", "create", "patch", "delete"),
              of("", "limitranges", "list", "create", "patch"),
              of("discovery.k8s.io", "endpointslices", "get"),
              of("", "persistentvolumeclaims", "get"),
              of("scheduling.k8s.io", "priorityclasses", "list"),
              of("storage.k8s.io", "storageclasses", "list"),
              of("resource.k8s.io", "deviceclasses", "list"))
          .flatMap(List::stream)
          .toList();

  /**
   * Right of the Role {@code fairlead-fence} in the system namespace, restricted to {@link #FENCE}.
   */
  public static final ClusterRight RAISE_EPOCHS = new ClusterRight("", "configmaps", "update");

  /**
   * Optional rights of {@code deploy/cluster-nodes.yaml}, to label and taint nodes by pool and
   * quarantine.
   */
  public static final List<ClusterRight> LABEL_NODES = of("", "nodes", "get", "patch");

  /**
   * Right of {@code deploy/cluster-volumes.yaml}, the only one in the first version of that file.
   */
  public static final ClusterRight MAKE_CLAIMS =
      new ClusterRight("", "persistentvolumeclaims", "create");

  /** Right of the same file, to find the nodes that can reach the disks of volumes. */
  public static final ClusterRight READ_DISKS = new ClusterRight("", "persistentvolumes", "get");

  /** Rights of {@code deploy/cluster-pod-group.yaml} for PodGroups of this kind. */
  public static List<ClusterRight> groupPods(PodGroupApi api) {
    return of(api.group(), "podgroups", "get", "create", "patch");
  }

  /** Identifies this version of the list. */
  public static final String LIST =
      Integer.toHexString(
          Stream.concat(ALL.stream(), Stream.of(RAISE_EPOCHS))
              .map(ClusterRight::text)
              .toList()
              .hashCode());

  private static final String MISSING = "may not ";

  private static List<ClusterRight> of(String group, String resource, String... verbs) {
    return Stream.of(verbs).map(verb -> new ClusterRight(group, resource, verb)).toList();
  }

  /**
   * Formats the right for {@code kubectl auth can-i}: {@code delete pods}, {@code list
   * storageclasses.storage.k8s.io}.
   */
  public String text() {
    return verb + " " + resource + (group.isEmpty() ? "" : "." + group);
  }

  /** Returns the reason text of a cluster that lacks these rights, for {@link #missing}. */
  public static String lacking(Collection<ClusterRight> rights) {
    return MISSING + rights.stream().map(ClusterRight::text).collect(Collectors.joining(", "));
  }

  /**
   * Returns the rights that a reason names. The result is empty if the reason is not about missing
   * rights.
   */
  public static List<ClusterRight> missing(String reason) {
    return reason.startsWith(MISSING)
        ? Stream.of(reason.substring(MISSING.length()).split(", "))
            .map(ClusterRight::parse)
            .toList()
        : List.of();
  }

  private static ClusterRight parse(String text) {
    String[] parts = text.split("[ ]", 2);
    int dot = parts[1].indexOf('.');
    return dot < 0
        ? new ClusterRight("", parts[1], parts[0])
        : new ClusterRight(parts[1].substring(dot + 1), parts[1].substring(0, dot), parts[0]);
  }

  /**
   * Returns the lines that grant the rights under {@code rules} of the role, one for each resource.
   */
  public static List<String> rules(Collection<ClusterRight> rights) {
    SortedMap<String, TreeSet<String>> verbs = new TreeMap<>();
    for (ClusterRight right : rights) {
      String of = "apiGroups: [\"" + right.group() + "\"], resources: [" + right.resource() + "]";
      String named = right.equals(RAISE_EPOCHS) ? ", resourceNames: [" + FENCE + "]" : "";
      verbs.computeIfAbsent(of + named, key -> new TreeSet<>()).add(right.verb());
    }
    List<String> rules = new ArrayList<>();
    verbs.forEach((of, which) -> rules.add("- {" + of + ", verbs: " + which + "}"));
    return rules;
  }

  @Override
  public int compareTo(ClusterRight other) {
    return text().compareTo(other.text());
  }
}
