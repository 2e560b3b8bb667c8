package dev.fairlead.fleet.cluster;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One right on a Kubernetes cluster. {@link #ALL} is the one list of those that Fairlead uses,
 * which {@code deploy/cluster.yaml} grants.
 *
 * @param group API group, empty for the core group
 * @param resource plural, with its subresource if it is one of that, such as {@code pods/log}
 * @param verb of the API server, such as {@code list}
 */
public record ClusterRight(String group, String resource, String verb)
    implements Comparable<ClusterRight> {
  /** The object whose change the one right is limited to that is not for all of its kind. */
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
              of("networking.k8s.io", "networkpolicies", "get", "list", "create", "update"),
              of("", "resourcequotas", "get", "list", "create", "update", "delete"),
              of("", "limitranges", "get", "list", "create", "update"),
              of("discovery.k8s.io", "endpointslices", "get"),
              of("", "persistentvolumeclaims", "get"),
              of("scheduling.k8s.io", "priorityclasses", "list"),
              of("storage.k8s.io", "storageclasses", "list"),
              of("resource.k8s.io", "deviceclasses", "list"))
          .flatMap(List::stream)
          .toList();

  /** Of the Role {@code fairlead-fence} in the system's namespace, for {@link #FENCE} alone. */
  public static final ClusterRight RAISE_TERMS = new ClusterRight("", "configmaps", "update");

  /** Optional, of {@code deploy/cluster-nodes.yaml}: nodes show their pools and quarantines. */
  public static final List<ClusterRight> MARK_NODES = of("", "nodes", "get", "patch");

  /** Of {@code deploy/cluster-volumes.yaml}, whose first version had nothing else. */
  public static final ClusterRight MAKE_CLAIMS =
      new ClusterRight("", "persistentvolumeclaims", "create");

  /** Of the same file: which nodes reach the disks of volumes. */
  public static final ClusterRight READ_DISKS = new ClusterRight("", "persistentvolumes", "get");

  /** Tells this list from those of other versions. */
  public static final String LIST =
      Integer.toHexString(
          Stream.concat(ALL.stream(), Stream.of(RAISE_TERMS))
              .map(ClusterRight::text)
              .toList()
              .hashCode());

  private static final String MISSING = "may not ";

  private static List<ClusterRight> of(String group, String resource, String... verbs) {
    return Stream.of(verbs).map(verb -> new ClusterRight(group, resource, verb)).toList();
  }

  /**
   * As {@code kubectl auth can-i} takes it: {@code delete pods}, {@code list
   * storageclasses.storage.k8s.io}.
   */
  public String text() {
    return verb + " " + resource + (group.isEmpty() ? "" : "." + group);
  }

  /** The reason of a cluster that lacks these, for {@link #missing}. */
  public static String lacking(Collection<ClusterRight> rights) {
    return MISSING + rights.stream().map(ClusterRight::text).collect(Collectors.joining(", "));
  }

  /** Those that a reason names; empty when it is not one of missing rights. */
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
   * The lines that grant them, as they stand under {@code rules} of the role that lacks them: one
   * for each resource.
   */
  public static List<String> rules(Collection<ClusterRight> rights) {
    SortedMap<String, TreeSet<String>> verbs = new TreeMap<>();
    for (ClusterRight right : rights) {
      String of = "apiGroups: [\"" + right.group() + "\"], resources: [" + right.resource() + "]";
      String named = right.equals(RAISE_TERMS) ? ", resourceNames: [" + FENCE + "]" : "";
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
