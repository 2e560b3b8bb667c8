package dev.fairlead.work.job.memory;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.estimate.ExpectedStart;
import dev.fairlead.work.job.estimate.PreemptionCount;
import dev.fairlead.work.job.store.DecisionRange;
import dev.fairlead.work.job.store.ExplanationStore;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** In-memory implementation of {@link ExplanationStore}; never deletes a class. */
public final class MemoryExplanationStore implements ExplanationStore {
  private static final Comparator<DecisionRange.Place> ORDER =
      Comparator.comparing(DecisionRange.Place::at)
          .thenComparing(place -> place.job().value().toString())
          .thenComparingLong(DecisionRange.Place::id);

  private final MemoryDatabase database;
  private final InstantSource clock;
  private final MemoryJobStore jobs;
  private final MemoryTable<String, Explanation> classes;
  private final MemoryTable<JobId, Membership> members;
  private final MemoryTable<JobId, List<DecisionRecord>> decided;

  private final MemoryTable<Counted, Long> counts;

  private record Counted(LocalDate day, PreemptionCount.Of of) implements Comparable<Counted> {
    @Override
    public int compareTo(Counted other) {
      int byDay = day.compareTo(other.day);
      return byDay != 0 ? byDay : PreemptionCount.Of.ORDER.compare(of, other.of);
    }
  }

  private record Membership(String classKey, Instant since, @Nullable ExpectedStart expected) {}

  public MemoryExplanationStore(MemoryDatabase database, InstantSource clock, MemoryJobStore jobs) {
    this.database = database;
    this.clock = clock;
    this.jobs = jobs;
    this.classes = database.table();
    this.members = database.table();
    this.decided = database.table();
    this.counts = database.table();
  }

  @Override
  public void put(Map<String, Explanation> changed, Map<JobId, String> jobs) {
    database.run(() -> {
      changed.forEach(classes::put);
      jobs.forEach(this::join);
    });
  }

  @Override
  public void expect(Map<JobId, ExpectedStart> starts) {
    database.run(() ->
        starts.forEach((job, start) ->
            members
                .find(job)
                .ifPresent(m -> members.put(job, new Membership(m.classKey(), m.since(), start)))));
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
  public boolean keep(List<DecisionRecord> decisions, List<PreemptionCount> added) {
    LocalDate today = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
    database.run(() -> {
      decisions.forEach(this::keep);
      for (PreemptionCount count : added) {
        Counted key = new Counted(today, count.of());
        counts.put(key, counts.find(key).orElse(0L) + count.times());
      }
    });
    return true;
  }

  @Override
  public List<PreemptionCount> counted(TenantId tenant, QuotaNodeId queue, int priority, int days) {
    LocalDate before = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC).minusDays(days);
    SortedMap<PreemptionCount.Of, Long> sums = new TreeMap<>(PreemptionCount.Of.ORDER);
    database.run(() ->
        counts.map().keySet().stream()
            .filter(key -> key.day().isAfter(before))
            .filter(key -> key.of().queue().equals(queue) && key.of().priority() == priority)
            .forEach(key -> sums.merge(key.of(), counts.find(key).orElse(0L), Long::sum)));
    return sums.entrySet().stream()
        .map(sum -> new PreemptionCount(sum.getKey(), sum.getValue()))
        .toList();
  }

  private void keep(DecisionRecord decision) {
    List<DecisionRecord> all = new ArrayList<>(decided.find(decision.job()).orElse(List.of()));
    boolean known =
        decision.body() instanceof DecisionRecord.Waited waited
            && !waited.begun()
            && !all.isEmpty()
            && all.getLast().reason() == decision.reason();
    if (!known) {
      Instant last = all.isEmpty() ? decision.at() : all.getLast().at();
      Instant at = last.isAfter(decision.at()) ? last : decision.at();
      all.add(new DecisionRecord(decision.job(), at, decision.body(), expected(decision, all)));
      DecisionRecord.Kind kind = decision.body().kind();
      List<DecisionRecord> alike =
          all.stream().filter(d -> counted(d.body().kind()) == counted(kind)).toList();
      if (alike.size() > kind.most()) {
        all.remove(alike.getFirst());
      }
      decided.put(decision.job(), List.copyOf(all));
    }
  }

  /** The estimate of the recorded wait, or of the wait that a placement ends. */
  private DecisionRecord.@Nullable Expected expected(
      DecisionRecord decision, List<DecisionRecord> earlier) {
    ExpectedStart told = members.find(decision.job()).map(Membership::expected).orElse(null);
    boolean waited =
        decision.body().kind() == DecisionRecord.Kind.WAITED
            || decision.body().kind() == DecisionRecord.Kind.PLACED;
    boolean before =
        told != null
            && earlier.stream()
                .anyMatch(d ->
                    d.body().kind() != DecisionRecord.Kind.WAITED
                        && d.at().isAfter(told.computedAt()));
    return told == null || !waited || before
        ? null
        : new DecisionRecord.Expected(told.p50(), told.p90());
  }

  private static DecisionRecord.Kind counted(DecisionRecord.Kind kind) {
    return switch (kind) {
      case MOVED -> DecisionRecord.Kind.EVICTED;
      case REACHABLE -> DecisionRecord.Kind.UNREACHABLE;
      case PLACED, WAITED, EVICTED, UNREACHABLE -> kind;
    };
  }

  @Override
  public List<DecisionRecord> decisions(TenantId tenant, JobId job) {
    return database.call(() -> decided.find(job).orElse(List.of()));
  }

  @Override
  public List<DecisionRange.Row> decided(TenantId tenant, DecisionRange range) {
    return database.call(() ->
        decided.map().keySet().stream()
            .flatMap(id -> jobs.find(tenant, id).stream())
            .flatMap(job -> of(job).stream())
            .filter(one -> !one.place().at().isBefore(range.since()))
            .filter(one -> one.place().at().isBefore(range.until()))
            .filter(one -> ORDER.compare(one.place(), range.after()) > 0)
            .sorted(Comparator.comparing(DecisionRange.Row::place, ORDER))
            .limit(range.most())
            .toList());
  }

  private List<DecisionRange.Row> of(Job job) {
    List<DecisionRecord> all = decided.find(job.id()).orElse(List.of());
    return IntStream.range(0, all.size())
        .mapToObj(i ->
            new DecisionRange.Row(
                new DecisionRange.Place(all.get(i).at(), job.id(), i + 1L),
                job.project(),
                job.name(),
                all.get(i)))
        .toList();
  }

  private void join(JobId job, String classKey) {
    boolean already = members.find(job).filter(m -> m.classKey().equals(classKey)).isPresent();
    if (!already) {
      ExpectedStart expected = members.find(job).map(Membership::expected).orElse(null);
      members.put(job, new Membership(classKey, clock.instant(), expected));
    }
  }

  private Optional<Stored> stored(Membership member) {
    return classes
        .find(member.classKey())
        .map(explanation ->
            new Stored(member.classKey(), explanation, member.since(), member.expected()));
  }
}
