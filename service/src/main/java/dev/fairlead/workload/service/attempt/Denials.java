package dev.fairlead.workload.service.attempt;

import dev.fairlead.attempt.Attempt;
import dev.fairlead.attempt.ClusterRefusal;
import dev.fairlead.identity.ClusterId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which clusters denied a job, by a rule of theirs or since they lack a claim that it mounts, and
 * how often.
 *
 * @param lacking those of them that lacked a claim
 * @param attempts that were denied
 */
public record Denials(Set<ClusterId> clusters, Set<ClusterId> lacking, int attempts) {
  /**
   * @param now is denied, and not stored as that yet
   * @param kind how it is denied: not {@link ClusterRefusal#FOR_NOW}
   * @param stored attempts of the same job and element
   */
  static Denials of(Attempt now, ClusterRefusal kind, List<Attempt> stored) {
    Set<ClusterId> clusters = new TreeSet<>(Set.of(now.cluster()));
    Set<ClusterId> lacking = new TreeSet<>();
    if (kind == ClusterRefusal.STORAGE) {
      lacking.add(now.cluster());
    }
    int attempts = 1;
    for (Attempt before : stored) {
      Optional<ClusterRefusal> denied =
          Optional.ofNullable(before.failure())
              .flatMap(ClusterRefusal::of)
              .filter(refusal -> refusal != ClusterRefusal.FOR_NOW);
      if (denied.isPresent() && !before.id().equals(now.id())) {
        clusters.add(before.cluster());
        attempts++;
        if (denied.get() == ClusterRefusal.STORAGE) {
          lacking.add(before.cluster());
        }
      }
    }
    return new Denials(clusters, lacking, attempts);
  }

  /**
   * Whether no cluster is left, and one rule that is being repaired would have been by now. A claim
   * that no cluster has is not waited for.
   */
  public boolean everywhere(Set<ClusterId> usable) {
    return lacking.containsAll(usable)
        || (attempts >= ClusterRefusal.MOST_TRIES && clusters.containsAll(usable));
  }
}
