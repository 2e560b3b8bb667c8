package dev.fairlead.work.job.estimate;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A sketch for each group at each level, in which newer amounts weigh more. Weights grow instead of
 * being decayed (Cormode et al., Forward Decay, ICDE 2009), so an amount only touches its own
 * groups. The more a group has, the less of its next amount reaches the wider group, as in
 * interpolated Kneser-Ney smoothing (Teh, A Hierarchical Bayesian Language Model based on
 * Pitman-Yor Processes, ACL 2006): a thousand runs of one sweep reveal little about the jobs of
 * another.
 */
final class GroupSketches {
  /** Maximum number of known groups. The group without an amount for longest is dropped. */
  private static final int MOST = 20_000;

  /** This number of amounts in a group has the same weight as the whole wider group. */
  static final double PRIOR = 5;

  private static final double HEAVY = 1e9;

  private final List<RunGroup.Level> levels;
  private final Duration halfLife;
  private final Map<List<String>, LogSketch> groups = new LinkedHashMap<>(16, 0.75f, true);
  private @Nullable Instant origin;
  private int added;

  /** Weight of all amounts. */
  private double total;

  /**
   * @param levels the widest first
   * @param halfLife time after which an amount weighs half
   */
  GroupSketches(List<RunGroup.Level> levels, Duration halfLife) {
    this.levels = levels;
    this.halfLife = halfLife;
  }

  void add(RunGroup group, double amount, Instant at) {
    double weight = weightAt(at);
    double part = 1;
    for (RunGroup.Level level : levels.reversed()) {
      LogSketch sketch = groups.computeIfAbsent(group.key(level), key -> new LogSketch());
      double before = sketch.sum() / weight;
      sketch.add(amount, weight * part);
      part *= PRIOR / (PRIOR + before);
    }
    added++;
    total += weight;
    while (groups.size() > MOST) {
      groups.remove(groups.keySet().iterator().next());
    }
    if (weight > HEAVY) {
      groups.values().forEach(sketch -> sketch.scale(1 / weight));
      total /= weight;
      origin = at;
    }
  }

  /** Number of added amounts, regardless of their current weight. */
  int added() {
    return added;
  }

  /** The number of current amounts that weigh as much as all that were added. */
  double recent(Instant now) {
    return total * worth(now);
  }

  /** The result is null for a group without amounts. */
  @Nullable LogSketch of(RunGroup group, RunGroup.Level level) {
    return groups.get(group.key(level));
  }

  /** Current value of one unit of sketch weight. A current amount has value 1. */
  double worth(Instant now) {
    return 1 / weightAt(now);
  }

  private double weightAt(Instant time) {
    Instant since = origin == null ? time : origin;
    origin = since;
    return Math.pow(2, (double) Duration.between(since, time).toMillis() / halfLife.toMillis());
  }
}
