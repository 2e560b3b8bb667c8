package dev.fairlead.care.healthtest.memory;

import dev.fairlead.care.healthtest.HealthTest;
import dev.fairlead.care.healthtest.HealthTestRun;
import dev.fairlead.care.healthtest.HealthTestRunId;
import dev.fairlead.care.healthtest.HealthTestStore;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.work.attempt.Preflight;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** In-memory implementation of {@link HealthTestStore}. */
public final class MemoryHealthTestStore implements HealthTestStore {
  private final MemoryDatabase database;
  private final ConfigStore documents;
  private final MemoryTable<HealthTestRunId, HealthTestRun> runs;

  public MemoryHealthTestStore(MemoryDatabase database, ConfigStore documents) {
    this.database = database;
    this.documents = documents;
    this.runs = database.table();
  }

  @Override
  public List<HealthTest> tests() {
    return documents.all(HealthTest.DOCUMENTS).stream().map(ConfigDocument::value).toList();
  }

  @Override
  public Optional<HealthTest> test(String name) {
    return documents.find(HealthTest.DOCUMENTS, null, name).map(ConfigDocument::value);
  }

  @Override
  public void insert(HealthTestRun run) {
    database.run(() -> {
      refuseUnless(all(r -> r.endedAt() == null && r.node().equals(run.node())).isEmpty(), run);
      runs.put(run.id(), run);
    });
  }

  @Override
  public void update(HealthTestRun run) {
    database.run(() -> {
      refuseUnless(run(run.id()).filter(r -> r.endedAt() == null).isPresent(), run);
      runs.put(run.id(), run);
    });
  }

  private static void refuseUnless(boolean allowed, HealthTestRun run) {
    if (!allowed) {
      throw new Conflict(Guard.VERSION, run.nodeName());
    }
  }

  @Override
  public List<HealthTestRun> open() {
    return all(run -> run.endedAt() == null);
  }

  @Override
  public Optional<HealthTestRun> run(HealthTestRunId id) {
    return database.call(() -> runs.find(id));
  }

  @Override
  public List<Preflight> preflights(Instant endedAfter) {
    return all(run -> run.endedAt() == null || run.endedAt().isAfter(endedAfter)).stream()
        .flatMap(run -> run.preflight().stream())
        .toList();
  }

  @Override
  public SortedMap<NodeId, HealthTestRun> last(String test) {
    SortedMap<NodeId, HealthTestRun> last = new TreeMap<>();
    all(run -> run.test().equals(test) && run.wanted() == null)
        .forEach(run -> last.put(run.node(), run));
    return last;
  }

  @Override
  public List<HealthTestRun> runs(
      @Nullable String test, @Nullable NodeId node, @Nullable HealthTestRunId before, int limit) {
    return all(run ->
            (test == null || run.test().equals(test))
                && (node == null || run.node().equals(node))
                && (before == null || run.id().compareTo(before) < 0))
        .reversed()
        .stream()
        .limit(limit)
        .toList();
  }

  private List<HealthTestRun> all(Predicate<HealthTestRun> wanted) {
    return database.call(() ->
        runs.all().stream()
            .filter(wanted)
            .sorted(Comparator.comparing(HealthTestRun::id))
            .toList());
  }

  @Override
  public int forget(Instant endedBefore, int most) {
    return database.call(() -> {
      List<HealthTestRun> old =
          all(
                  run -> {
                    Instant ended = run.endedAt();
                    return ended != null && ended.isBefore(endedBefore);
                  })
              .stream()
              .limit(most)
              .toList();
      old.forEach(run -> runs.remove(run.id()));
      return old.size();
    });
  }
}
