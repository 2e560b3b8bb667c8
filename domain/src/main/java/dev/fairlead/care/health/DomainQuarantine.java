package dev.fairlead.care.health;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A topology domain of which no node takes anything new for its health, by order of an operator.
 * Each node in it has a {@link Quarantine} that refers to it, also one that came later; a node that
 * left has none.
 *
 * @param level of the cluster's topology: {@code rack}
 * @param domain name of the domain at that level
 * @param reason in the operator's words
 * @param owner the operator that holds it
 * @param until when it ends by itself; null until it is released
 * @param releasedAt null while it stands
 * @param released by what or by which operator it ended and why, null while it stands
 * @param version from 1
 */
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
    long version) {
  /** How many may stand in one cluster: each report of it is compared with all of them. */
  public static final int MOST = 200;

  /** Whether a node with these domains by level is in it. */
  public boolean covers(SortedMap<String, String> topology) {
    return domain.equals(topology.get(level));
  }

  /**
   * Whether a node with these domains by level is in another one. One that shows none is not known
   * to be elsewhere: labels of a machine that boots come late, those of an NVLink domain go with
   * its switch.
   */
  boolean leftFor(SortedMap<String, String> topology) {
    String shown = topology.get(level);
    return shown != null && !domain.equals(shown);
  }

  public boolean due(Instant now) {
    return releasedAt == null && until != null && !now.isBefore(until);
  }

  /** Held by the operator, with another reason and end. */
  public DomainQuarantine changed(String operator, String why, @Nullable Instant end) {
    return new DomainQuarantine(
        id, cluster, level, domain, why, operator, since, end, null, null, version + 1);
  }

  public DomainQuarantine released(Instant at, String why) {
    return new DomainQuarantine(
        id, cluster, level, domain, reason, owner, since, until, at, why, version + 1);
  }

  /** {@code rack eu-1-r03}. */
  public String name() {
    return level + " " + domain;
  }

  /** What its nodes show as their cause. */
  public String cause() {
    return name() + " is quarantined: " + reason;
  }

  /** Why it ends when its time is over, for people. */
  public String over() {
    return name() + ": the time for which " + owner + " held it was over";
  }

  /** The quarantine of a node that is in it. */
  Quarantine of(QuarantineId quarantine, Node node, Instant now) {
    return new Quarantine(
        quarantine, cluster, node.id(), null, id, cause(), owner, now, until, null, null);
  }
}
