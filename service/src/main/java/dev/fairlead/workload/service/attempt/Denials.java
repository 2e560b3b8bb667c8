package dev.fairlead.workload.service.attempt;

import dev.fairlead.attempt.Attempt;
import dev.fairlead.attempt.ClusterRefusal;
import dev.fairlead.identity.ClusterId;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which clusters denied a job by a rule of theirs, and how often.
 *
 * @param attempts that were denied
 */
public record Denials(Set<ClusterId> clusters, int attempts) {
  /**
   * @param now is denied, and not stored as that yet
   * @param stored attempts of the same job and element
   */
  static Denials of(Attempt now, List<Attempt> stored) {
    Set<ClusterId> clusters = new TreeSet<>(Set.of(now.cluster()));
    int attempts = 1;
    for (Attempt before : stored) {
      boolean denied =
          before.failure() != null
              && ClusterRefusal.of(before.failure())
                  .filter(refusal -> refusal == ClusterRefusal.POLICY)
                  .isPresent();
      if (denied && !before.id().equals(now.id())) {
        clusters.add(before.cluster());
        attempts++;
      }
    }
    return new Denials(clusters, attempts);
  }

  /** Whether no cluster is left, and one rule that is being repaired would have been by now. */
  public boolean everywhere(Set<ClusterId> usable) {
    return attempts >= ClusterRefusal.MOST_TRIES && clusters.containsAll(usable);
  }
}
