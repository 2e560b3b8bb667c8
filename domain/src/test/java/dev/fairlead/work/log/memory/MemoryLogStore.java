package dev.fairlead.work.log.memory;

import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.memory.MemoryJobStore;
import dev.fairlead.work.log.ChunkKey;
import dev.fairlead.work.log.LogChunk;
import dev.fairlead.work.log.LogMember;
import dev.fairlead.work.log.LogStore;
import dev.fairlead.work.log.MemberLog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/** In-memory implementation of {@link LogStore}. */
public final class MemoryLogStore implements LogStore {
  private static final Duration LEFT = Duration.ofMinutes(5);
  private final MemoryDatabase database;
  private final MemoryJobStore jobs;
  private final MemoryTable<LogMember, MemberLog> logs;
  private final MemoryTable<LogMember, List<LogChunk>> chunks;
  private final MemoryTable<Integer, List<String>> nonces;

  public MemoryLogStore(MemoryDatabase database, MemoryJobStore jobs) {
    this.database = database;
    this.jobs = jobs;
    this.logs = database.table();
    this.chunks = database.table();
    this.nonces = database.table();
  }

  @Override
  public List<MemberLog> of(Collection<AttemptId> attempts) {
    return found(log -> attempts.contains(log.of().attempt()));
  }

  private List<MemberLog> found(Predicate<MemberLog> wanted) {
    return database.call(() -> logs.all().stream().filter(wanted).toList());
  }

  @Override
  public void write(List<Step> steps) {
    database.run(() -> {
      for (Step step : steps) {
        LogMember of = step.log().of();
        logs.put(of, deleted(step.log()) ? step.log().ended(Instant.EPOCH) : step.log());
        List<LogChunk> parts = new ArrayList<>(chunks.find(of).orElse(List.of()));
        parts.removeIf(part -> part.sequence() == step.replaced());
        if (step.chunk() != null) {
          parts.add(step.chunk());
        }
        chunks.put(of, List.copyOf(parts));
      }
    });
  }

  private boolean deleted(MemberLog next) {
    return logs.find(next.of()).filter(log -> Instant.EPOCH.equals(log.endedAt())).isPresent()
        || next.endedAt() != null && jobs.findAll(List.of(next.of().job())).isEmpty();
  }

  @Override
  public Optional<Whole> whole(TenantId tenant, AttemptId attempt, MemberKey member) {
    return database.call(() ->
        found(log ->
                log.of().tenant().equals(tenant)
                    && log.of().attempt().equals(attempt)
                    && log.of().member().equals(member))
            .stream()
            .findFirst()
            .map(log -> new Whole(log, parts(log.of()))));
  }

  @Override
  public SortedMap<ProjectId, Long> stored(Collection<ProjectId> projects) {
    SortedMap<ProjectId, Long> stored = new TreeMap<>();
    found(log -> projects.contains(log.of().project()) && log.stored() > 0)
        .forEach(log -> stored.merge(log.of().project(), log.stored(), Long::sum));
    return stored;
  }

  @Override
  public List<MemberLog> abandoned(int limit) {
    return database.call(() ->
        found(log -> log.endedAt() == null && nothingLeft(log)).stream().limit(limit).toList());
  }

  private boolean nothingLeft(MemberLog log) {
    List<Attempt> there = jobs.attempts(List.of(log.of().attempt()));
    Instant retired = there.isEmpty() ? Instant.MIN : there.getFirst().retiredAt();
    return retired != null && retired.isBefore(jobs.now().minus(LEFT));
  }

  private List<MemberLog> ended(Instant before) {
    return found(
            log -> {
              Instant ended = log.endedAt();
              return ended != null && ended.isBefore(before);
            })
        .stream()
        .sorted(Comparator.comparing(MemberLog::endedAt))
        .toList();
  }

  @Override
  public List<MemberLog> endedBefore(Duration age, int limit) {
    return ended(jobs.now().minus(age)).stream()
        .filter(log -> log.removed() == null)
        .limit(limit)
        .toList();
  }

  @Override
  public List<MemberLog> over(long bytesOfProject, int limit) {
    Map<ProjectId, Long> left = new TreeMap<>();
    found(log -> log.stored() > 0)
        .forEach(log -> left.merge(log.of().project(), log.stored(), Long::sum));
    List<MemberLog> over = new ArrayList<>();
    for (MemberLog log : ended(Instant.MAX)) {
      long now = left.getOrDefault(log.of().project(), 0L);
      if (log.removed() == null && now > bytesOfProject && over.size() < limit) {
        over.add(log);
        left.put(log.of().project(), now - log.stored());
      }
    }
    return over;
  }

  @Override
  public boolean empty() {
    return database.call(() -> chunks.all().stream().allMatch(List::isEmpty));
  }

  @Override
  public List<String> nonces() {
    return database.call(() -> nonces.find(0).orElse(List.of()));
  }

  @Override
  public void addNonce(String nonce) {
    database.run(() -> {
      List<String> next = new ArrayList<>(nonces.find(0).orElse(List.of()));
      next.addFirst(nonce);
      nonces.put(0, List.copyOf(next.subList(0, Math.min(next.size(), MOST_NONCES))));
    });
  }

  @Override
  public List<LogChunk> parts(LogMember of) {
    return database.call(() -> chunks.find(of).orElse(List.of()));
  }

  @Override
  public void removed(List<LogMember> gone, MemberLog.Removal why) {
    database.run(() ->
        gone.forEach(of ->
            logs.find(of)
                .ifPresent(log -> {
                  logs.put(of, log.with().stored(0).removed(why).build());
                  chunks.remove(of);
                })));
  }

  @Override
  public int forget(Duration age, int limit) {
    return database.call(() -> {
      List<MemberLog> forgotten =
          ended(jobs.now().minus(age)).stream()
              .filter(log -> log.removed() != null)
              .limit(limit)
              .toList();
      forgotten.forEach(log -> logs.remove(log.of()));
      return forgotten.size();
    });
  }

  @Override
  public List<ChunkKey> unknown(List<ChunkKey> keys) {
    return keys.stream()
        .filter(key -> parts(key.of()).stream().noneMatch(part -> part.key(key.of()).equals(key)))
        .toList();
  }
}
