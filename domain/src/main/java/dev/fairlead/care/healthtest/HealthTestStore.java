package dev.fairlead.care.healthtest;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.work.attempt.Preflight;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Health tests, which are documents of the configuration, and their runs. Both belong to the
 * platform.
 */
public interface HealthTestStore {
  /** By name. */
  List<HealthTest> tests();

  Optional<HealthTest> test(String name);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION while another run of its node is under
   *     way
   */
  void insert(HealthTestRun run);

  /**
   * Writes its job or its end.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless it is under way
   */
  void update(HealthTestRun run);

  /** Runs in progress, by id. */
  List<HealthTestRun> open();

  Optional<HealthTestRun> run(HealthTestRunId id);

  /** Tests for waiting jobs, by id: active ones, and those that ended after that time. */
  List<Preflight> preflights(Instant endedAfter);

  /** The newest run of the test on each node, without runs for waiting jobs. */
  SortedMap<NodeId, HealthTestRun> last(String test);

  /**
   * Newest first.
   *
   * @param test null for all tests
   * @param node null for all nodes
   * @param before only runs before this one, null for the newest
   */
  List<HealthTestRun> runs(
      @Nullable String test, @Nullable NodeId node, @Nullable HealthTestRunId before, int limit);

  /** Deletes up to this many that ended before that time. */
  int forget(Instant endedBefore, int most);
}
