package dev.fairlead.work.placement.topology;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Topology levels of one cluster, widest first, with a number for every domain. A domain is
 * identified by its name and the names of the wider domains around it, so {@code r1} of one block
 * is not {@code r1} of another.
 */
public final class Levels {
  /** The narrowest level. A node without a host domain is its own host domain. */
  public static final String HOST = "host";

  /** A level with one domain, unless the cluster has a level of that name. */
  public static final String CLUSTER = "cluster";

  /** Domain of a node that has none at a level. */
  public static final int NONE = -1;

  private final List<String> names;
  private final Place everywhere = new Place();
  private final List<List<String>> domains = new ArrayList<>();
  private final List<String> reported;
  private final List<int[]> domainsOf;

  /**
   * Orders the levels as the cluster reports them. Levels that only nodes name follow by name,
   * {@link #HOST} is last.
   */
  public Levels(Cluster cluster, List<Node> nodes) {
    reported = cluster.capabilities().topologyLevels();
    List<String> found = new ArrayList<>(reported);
    nodes.stream().flatMap(n -> n.topology().keySet().stream()).sorted().forEach(found::add);
    names =
        found.stream()
            .distinct()
            .filter(
                l -> l.equals(HOST) || nodes.stream().anyMatch(n -> n.topology().containsKey(l)))
            .collect(java.util.stream.Collectors.toCollection(ArrayList::new));
    if (!names.contains(HOST)) {
      names.add(HOST);
    }
    for (int i = 0; i < names.size(); i++) {
      domains.add(new ArrayList<>());
    }
    domainsOf = nodes.stream().map(this::domainsOf).toList();
  }

  /**
   * Returns the levels for these nodes. The result is this object if no node has moved.
   *
   * @param before nodes for which this object was created or was still valid
   */
  public Levels with(Cluster cluster, List<Node> before, List<Node> nodes) {
    boolean same =
        reported.equals(cluster.capabilities().topologyLevels()) && before.size() == nodes.size();
    for (int rank = 0; same && rank < nodes.size(); rank++) {
      same = stays(before.get(rank), nodes.get(rank));
    }
    return same ? this : new Levels(cluster, nodes);
  }

  private static boolean stays(Node was, Node now) {
    return was.equals(now)
        || was.name().equals(now.name()) && was.topology().equals(now.topology());
  }

  /**
   * Returns a name of the node's domain at a level that no other domain of any cluster has. The
   * result is empty if the node has no domain at that level.
   */
  public static String path(Cluster cluster, Node node, String level) {
    String id = cluster.id().text();
    String own = node.topology().get(level);
    if (own == null && !level.equals(HOST)) {
      return level.equals(CLUSTER) ? id : "";
    }
    StringBuilder path = new StringBuilder(id);
    for (String wider : cluster.capabilities().topologyLevels()) {
      if (wider.equals(level)) {
        break;
      }
      path.append('/').append(node.topology().getOrDefault(wider, ""));
    }
    return path.append('/').append(own == null ? node.name() : own).toString();
  }

  public List<String> names() {
    return names;
  }

  /** Returns the position of the level, -1 if the cluster has none of that name. */
  public int position(String level) {
    return names.indexOf(level);
  }

  /** Returns the domain at each level of the node of that rank. The array must not be changed. */
  public int[] domains(int rank) {
    return domainsOf.get(rank);
  }

  private int[] domainsOf(Node node) {
    int[] of = new int[names.size()];
    Place at = everywhere;
    for (int i = 0; i < of.length; i++) {
      String name = node.topology().get(names.get(i));
      if (name == null && names.get(i).equals(HOST)) {
        name = node.name();
      }
      at = at.inside(name == null ? "" : name);
      of[i] = name == null ? NONE : number(i, at, name);
    }
    return of;
  }

  private int number(int level, Place place, String name) {
    if (place.number == NONE) {
      place.number = domains.get(level).size();
      domains.get(level).add(name);
    }
    return place.number;
  }

  /** A domain with the domains of the next level inside it, or a gap if a node names none. */
  private static final class Place {
    private final Map<String, Place> inside = new LinkedHashMap<>();
    private int number = NONE;

    Place inside(String name) {
      return inside.computeIfAbsent(name, n -> new Place());
    }
  }

  /** Returns the number of domains at a level, numbered from 0. */
  public int count(int level) {
    return domains.get(level).size();
  }

  public String domain(int level, int number) {
    return domains.get(level).get(number);
  }
}
