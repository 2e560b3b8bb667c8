package dev.fairlead.work.workload;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A lasting difference between a cluster and the stored rows: this database is an older state, or a
 * copy, of the database that managed the cluster.
 *
 * @param detail human-readable text
 */
public record Divergence(AttemptId attempt, Kind kind, String detail) {
  /** Difference between the two. */
  public enum Kind {
    /** The cluster shows an attempt that is not stored, or that is another cluster's. */
    UNKNOWN_HERE,
    /** The cluster shows a living attempt that is stored as ended. */
    ENDED_HERE,
    /** An attempt is stored as started, but the cluster has none of its objects. */
    MISSING_THERE
  }

  /**
   * Returns all divergences of one cluster, by attempt.
   *
   * @param cluster which one
   * @param shown everything that the cluster shows of our installation
   * @param stored the listed attempts, and attempts of that cluster that are not cleaned up
   */
  public static List<Divergence> of(
      ClusterId cluster, Map<AttemptId, ObservedWorkload> shown, Collection<Attempt> stored) {
    Map<AttemptId, Attempt> known = new TreeMap<>();
    stored.forEach(attempt -> known.put(attempt.id(), attempt));
    Map<AttemptId, Divergence> found = new TreeMap<>();
    shown.forEach((id, workload) -> {
      Attempt attempt = known.get(id);
      long living = workload.members().values().stream().filter(Divergence::lives).count();
      String pods = workload.members().size() + " pods, " + living + " of them alive";
      if (attempt == null && !workload.empty()) {
        found.put(id, new Divergence(id, Kind.UNKNOWN_HERE, pods));
      } else if (attempt != null && !attempt.cluster().equals(cluster)) {
        String detail = pods + ", of the attempt on " + attempt.cluster().text();
        found.put(id, new Divergence(id, Kind.UNKNOWN_HERE, detail));
      } else if (attempt != null && !attempt.live() && living > 0) {
        String detail = pods + ", stored as " + attempt.state();
        found.put(id, new Divergence(id, Kind.ENDED_HERE, detail));
      }
    });
    for (Attempt attempt : known.values()) {
      boolean there = shown.containsKey(attempt.id()) && !shown.get(attempt.id()).empty();
      if (started(attempt) && !there) {
        String detail = "stored as " + attempt.state() + " of job " + attempt.job().text();
        found.put(attempt.id(), new Divergence(attempt.id(), Kind.MISSING_THERE, detail));
      }
    }
    return new ArrayList<>(found.values());
  }

  private static boolean lives(ObservedMember member) {
    return member.state() != MemberState.SUCCEEDED && member.state() != MemberState.FAILED;
  }

  private static boolean started(Attempt attempt) {
    return attempt.live()
        && attempt.state() != AttemptState.PLANNED
        && attempt.state() != AttemptState.LAUNCHING;
  }
}
