package dev.fairlead.job.memory;

import dev.fairlead.explanation.Explanation;
import dev.fairlead.job.DecisionRecord;
import dev.fairlead.job.ExplanationStore;
import dev.fairlead.job.JobId;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.transaction.memory.MemoryDatabase;
import dev.fairlead.transaction.memory.MemoryTable;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Twin of {@link ExplanationStore}; keeps every class it was ever given. */
public final class MemoryExplanationStore implements ExplanationStore {
  private final MemoryDatabase database;
  private final InstantSource clock;
  private final MemoryTable<String, Explanation> classes;
  private final MemoryTable<JobId, Membership> members;
  private final MemoryTable<JobId, List<DecisionRecord>> decided;

  private record Membership(String classKey, Instant since) {}

  public MemoryExplanationStore(MemoryDatabase database, InstantSource clock) {
    this.database = database;
    this.clock = clock;
    this.classes = database.table();
    this.members = database.table();
    this.decided = database.table();
  }

  @Override
  public void put(Map<String, Explanation> changed, Map<JobId, String> jobs) {
    database.run(() -> {
      changed.forEach(classes::put);
      jobs.forEach(this::join);
    });
  }

  @Override
  public Optional<Stored> of(JobId job) {
    return database.call(() -> members.find(job).flatMap(this::stored));
  }

  @Override
  public Map<JobId, Stored> of(TenantId tenant, Collection<JobId> jobs) {
    Map<JobId, Stored> found = new TreeMap<>();
    database.run(() -> jobs.forEach(job -> of(job).ifPresent(stored -> found.put(job, stored))));
    return found;
  }

  @Override
  public void keep(List<DecisionRecord> decisions) {
    database.run(() -> decisions.forEach(this::keep));
  }

  private void keep(DecisionRecord decision) {
    List<DecisionRecord> all = new ArrayList<>(decided.find(decision.job()).orElse(List.of()));
    boolean known =
        decision.reason() != null && !all.isEmpty() && all.getLast().reason() == decision.reason();
    if (!known) {
      all.add(decision);
      int from = Math.max(0, all.size() - DecisionRecord.MOST);
      decided.put(decision.job(), List.copyOf(all.subList(from, all.size())));
    }
  }

  @Override
  public List<DecisionRecord> decisions(TenantId tenant, JobId job) {
    return database.call(() ->
        decided.find(job).orElse(List.of()).stream()
            .sorted(Comparator.comparing(DecisionRecord::at))
            .toList());
  }

  private void join(JobId job, String classKey) {
    boolean already = members.find(job).filter(m -> m.classKey().equals(classKey)).isPresent();
    if (!already) {
      members.put(job, new Membership(classKey, clock.instant()));
    }
  }

  private Optional<Stored> stored(Membership member) {
    return classes
        .find(member.classKey())
        .map(explanation -> new Stored(member.classKey(), explanation, member.since()));
  }
}
