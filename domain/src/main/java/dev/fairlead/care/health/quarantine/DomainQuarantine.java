package dev.fairlead.care.health.quarantine;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.identity.ClusterId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * The quarantine of a topology domain, started by an operator: its nodes accept no new members.
 * Each node in the domain has a {@link Quarantine} that refers to it, including later nodes. A node
 * that leaves the domain loses its quarantine.
 *
 * @param level level of the cluster's topology: {@code rack}
 * @param domain name of the domain at that level
 * @param reason in the operator's words
 * @param owner the operator that holds it
 * @param until time of its expiry, null if it lasts until a release
 * @param releasedAt null while it is active
 * @param released cause or operator that ended it, and the reason, null while it is active
 * @param version from 1
 */
@RecordBuilder
public record DomainQuarantine(
    DomainQuarantineId id,
    ClusterId cluster,
    String level,
    String domain,
    String reason,
    String owner,
    Instant since,
    @Nullable Instant until,
    @Nullable Instant releasedAt,
    @Nullable String released,
    long version)
    implements DomainQuarantineBuilder.With {
  /**
   * Maximum number of active domain quarantines in a cluster, because each report is compared with
   * all of them.
   */
  public static final int MOST = 200;

  /** Returns whether a node with these domains by level is in it. */
  public boolean covers(SortedMap<String, String> topology) {
    return domain.equals(topology.get(level));
  }

  /**
   * Returns whether a node with these domains by level is in another domain. A node that reports no
   * domain may still belong to it: labels of a booting machine appear late, and NVLink domain
   * labels disappear with the switch.
   */
  boolean leftFor(SortedMap<String, String> topology) {
    String shown = topology.get(level);
    return shown != null && !domain.equals(shown);
  }

  public boolean due(Instant now) {
    return releasedAt == null && until != null && !now.isBefore(until);
  }

  /** Returns the quarantine held by the operator, with another reason and end. */
  public DomainQuarantine changed(String operator, String why, @Nullable Instant end) {
    return with()
        .reason(why)
        .owner(operator)
        .until(end)
        .releasedAt(null)
        .released(null)
        .version(version + 1)
        .build();
  }

  public DomainQuarantine released(Instant at, String why) {
    return with().releasedAt(at).released(why).version(version + 1).build();
  }

  /** Returns the domain: {@code rack eu-1-r03}. */
  public String name() {
    return level + " " + domain;
  }

  /** Returns the cause that its nodes show. */
  public String cause() {
    return name() + " is quarantined: " + reason;
  }

  /** Explains the expiry as a human-readable text. */
  public String over() {
    return name() + ": the duration set by " + owner + " is over";
  }

  Quarantine of(QuarantineId quarantine, Node node, Instant now) {
    return QuarantineBuilder.builder()
        .id(quarantine)
        .cluster(cluster)
        .node(node.id())
        .gpu(null)
        .incident(null)
        .domain(id)
        .cause(cause())
        .owner(owner)
        .since(now)
        .until(until)
        .releasedAt(null)
        .released(null)
        .build();
  }
}
