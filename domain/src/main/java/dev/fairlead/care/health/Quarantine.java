package dev.fairlead.care.health;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeMarks;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A node that takes nothing new because of its health. A row of its own: what the cluster reports
 * of the node does not end it.
 *
 * @param incident what it is for, null when an operator ordered it without one
 * @param domain the quarantine of a topology domain that made it and ends it; null of the node's
 *     own
 * @param cause in words
 * @param owner the operator that holds it, null while Fairlead alone does
 * @param until when it ends by itself; null only while an operator holds it
 * @param releasedAt null while it stands
 * @param released by what or by which operator it ended and why, null while it stands
 */
public record Quarantine(
    QuarantineId id,
    ClusterId cluster,
    NodeId node,
    @Nullable IncidentId incident,
    @Nullable DomainQuarantineId domain,
    String cause,
    @Nullable String owner,
    Instant since,
    @Nullable Instant until,
    @Nullable Instant releasedAt,
    @Nullable String released) {
  /** How long one that no operator holds stands. */
  public static final Duration UNHELD = Duration.ofHours(24);

  private static final String HELD = "; held: ";

  /**
   * @throws IllegalArgumentException for one that would neither end nor be held
   */
  public Quarantine {
    if (until == null && owner == null) {
      throw new IllegalArgumentException("a quarantine ends by itself or is held by an operator");
    }
  }

  /** One of the node's own. */
  public Quarantine(
      QuarantineId id,
      ClusterId cluster,
      NodeId node,
      @Nullable IncidentId incident,
      String cause,
      @Nullable String owner,
      Instant since,
      @Nullable Instant until,
      @Nullable Instant releasedAt,
      @Nullable String released) {
    this(id, cluster, node, incident, null, cause, owner, since, until, releasedAt, released);
  }

  public boolean due(Instant now) {
    return releasedAt == null && until != null && !now.isBefore(until);
  }

  /**
   * The same, held by the operator until that time or, with null, until it is released; never
   * shorter than before.
   */
  public Quarantine held(String operator, String reason, @Nullable Instant end) {
    String held = incident == null ? reason : cause.split(HELD, 2)[0] + HELD + reason;
    Instant last = until == null || end == null ? null : end.isAfter(until) ? end : until;
    return lasting(held, operator, last);
  }

  /** The same, standing at least until then; that of a domain ends with it. */
  public Quarantine kept(Instant end) {
    boolean longer = domain == null && until != null && until.isBefore(end);
    return longer ? lasting(cause, owner, end) : this;
  }

  /** The same, as its domain is held now. */
  public Quarantine following(DomainQuarantine of) {
    return lasting(of.cause(), of.owner(), of.until());
  }

  private Quarantine lasting(String why, @Nullable String holder, @Nullable Instant end) {
    return new Quarantine(id, cluster, node, incident, domain, why, holder, since, end, null, null);
  }

  /** What its node shows of it on its cluster; an operator's own words stay here. */
  public String mark() {
    return incident == null ? "operator" : NodeMarks.value(cause.split(HELD, 2)[0]);
  }

  /** Why it ends when its time is over, for people. */
  public String over() {
    return owner == null
        ? "its time was over and no operator held it"
        : "the time for which " + owner + " held it was over";
  }

  public Quarantine released(Instant at, String why) {
    return new Quarantine(id, cluster, node, incident, domain, cause, owner, since, until, at, why);
  }
}
