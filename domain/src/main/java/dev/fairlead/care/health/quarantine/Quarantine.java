package dev.fairlead.care.health.quarantine;

import dev.fairlead.care.health.IncidentId;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.kernel.identity.ClusterId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A node or one of its GPUs that accepts no new members because of its health. It has a separate
 * row, so reports of the cluster about the node do not end it.
 *
 * @param gpu UUID of the only excluded device, null if the whole node is excluded
 * @param incident its incident, null if an operator ordered it without one
 * @param domain the domain quarantine that created it and ends it, null for a quarantine of the
 *     node itself
 * @param cause as text
 * @param owner the operator that holds it, null if no operator does
 * @param until time of its expiry, null only while an operator holds it
 * @param releasedAt null while it is active
 * @param released cause or operator of the end, with the reason, null while it is active
 */
@RecordBuilder
public record Quarantine(
    QuarantineId id,
    ClusterId cluster,
    NodeId node,
    @Nullable String gpu,
    @Nullable IncidentId incident,
    @Nullable DomainQuarantineId domain,
    String cause,
    @Nullable String owner,
    Instant since,
    @Nullable Instant until,
    @Nullable Instant releasedAt,
    @Nullable String released)
    implements QuarantineBuilder.With {
  /** Duration of a quarantine that no operator holds. */
  public static final Duration UNHELD = Duration.ofHours(24);

  private static final String HELD = "; held: ";

  /**
   * @throws IllegalArgumentException for a quarantine that would neither expire nor be held
   */
  public Quarantine {
    if (until == null && owner == null) {
      throw new IllegalArgumentException("a quarantine either expires or is held by an operator");
    }
  }

  /**
   * A quarantine of the node itself.
   *
   * @param owner null if it expires
   * @param until null if an operator holds it
   */
  public static Quarantine begun(
      QuarantineId id,
      ClusterId cluster,
      NodeId node,
      String cause,
      @Nullable String owner,
      Instant since,
      @Nullable Instant until) {
    return QuarantineBuilder.builder()
        .id(id)
        .cluster(cluster)
        .node(node)
        .gpu(null)
        .incident(null)
        .domain(null)
        .cause(cause)
        .owner(owner)
        .since(since)
        .until(until)
        .releasedAt(null)
        .released(null)
        .build();
  }

  /** Returns whether the quarantine excludes the whole node. */
  public boolean ofNode() {
    return gpu == null;
  }

  /** Returns the quarantine of this device of the node alone, null for the whole node. */
  public Quarantine of(@Nullable String device) {
    return with().gpu(device).releasedAt(null).released(null).build();
  }

  public boolean due(Instant now) {
    return releasedAt == null && until != null && !now.isBefore(until);
  }

  /**
   * Returns the quarantine held by the operator until that time or, with null, until it is
   * released. It never becomes shorter.
   */
  public Quarantine held(String operator, String reason, @Nullable Instant end) {
    String held = incident == null ? reason : cause.split(HELD, 2)[0] + HELD + reason;
    Instant last = until == null || end == null ? null : end.isAfter(until) ? end : until;
    return lasting(held, operator, last);
  }

  /**
   * Returns the quarantine with at least this end. A quarantine of a domain ends with the domain's.
   */
  public Quarantine kept(Instant end) {
    boolean longer = domain == null && until != null && until.isBefore(end);
    return longer ? lasting(cause, owner, end) : this;
  }

  /** Returns the quarantine updated from its domain's. */
  public Quarantine following(DomainQuarantine of) {
    return lasting(of.cause(), of.owner(), of.until());
  }

  private Quarantine lasting(String why, @Nullable String holder, @Nullable Instant end) {
    return with().cause(why).owner(holder).until(end).releasedAt(null).released(null).build();
  }

  /** Returns the text that the node shows on its cluster. Leaves out an operator's own words. */
  public String taintValue() {
    return incident == null ? "operator" : NodeLabelsAndTaints.value(cause.split(HELD, 2)[0]);
  }

  /** Explains the expiry as a human-readable text. */
  public String over() {
    return owner == null
        ? "it expired, and no operator held it"
        : "the duration set by " + owner + " is over";
  }

  public Quarantine released(Instant at, String why) {
    return with().releasedAt(at).released(why).build();
  }
}
