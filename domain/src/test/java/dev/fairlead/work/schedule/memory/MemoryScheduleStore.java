package dev.fairlead.work.schedule.memory;

import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.schedule.Schedule;
import dev.fairlead.work.schedule.ScheduleId;
import dev.fairlead.work.schedule.ScheduleRun;
import dev.fairlead.work.schedule.ScheduleState;
import dev.fairlead.work.schedule.ScheduleStore;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** In-memory implementation of {@link ScheduleStore}. */
public final class MemoryScheduleStore implements ScheduleStore {
  private final MemoryDatabase database;
  private final ConfigStore configs;
  private final MemoryTable<ScheduleId, ScheduleState> states;
  private final MemoryTable<RunKey, ScheduleRun> runs;

  public MemoryScheduleStore(MemoryDatabase database, ConfigStore configs) {
    this.database = database;
    this.configs = configs;
    this.states = database.table();
    this.runs = database.table();
  }

  private record RunKey(ScheduleId schedule, Instant instant) implements Comparable<RunKey> {
    @Override
    public int compareTo(RunKey other) {
      return Comparator.comparing(RunKey::schedule)
          .thenComparing(RunKey::instant)
          .compare(this, other);
    }
  }

  private boolean configured(ScheduleState state) {
    return configs.find(Schedule.DOCUMENTS, state.tenant(), state.document()).isPresent();
  }

  private List<ScheduleState> all() {
    return database.call(() -> states.all().stream().filter(this::configured).toList());
  }

  @Override
  public List<ScheduleState> due(Instant now, int limit) {
    return all().stream()
        .filter(each -> !each.suspended())
        .filter(each -> each.nextAt() != null && !each.nextAt().isAfter(now))
        .sorted(
            Comparator.comparing((ScheduleState each) -> Objects.requireNonNull(each.nextAt()))
                .thenComparing(ScheduleState::id))
        .limit(limit)
        .toList();
  }

  @Override
  public List<ScheduleState> all(TenantId tenant) {
    return all().stream().filter(each -> each.tenant().equals(tenant)).toList();
  }

  @Override
  public Optional<ScheduleState> find(TenantId tenant, String document) {
    return all(tenant).stream().filter(each -> each.document().equals(document)).findFirst();
  }

  @Override
  public Optional<ScheduleState> locked(TenantId tenant, String document) {
    return find(tenant, document);
  }

  @Override
  public void insert(ScheduleState state) {
    database.run(() -> states.put(state.id(), state));
  }

  @Override
  public void update(ScheduleState state) {
    database.run(() -> {
      if (states.has(state.id())) {
        states.put(state.id(), state);
      }
    });
  }

  @Override
  public void insert(ScheduleRun run) {
    database.run(() -> {
      RunKey key = new RunKey(run.schedule(), run.instant());
      if (runs.has(key)) {
        throw new Conflict(Guard.NAME_TAKEN, run.schedule().text() + " " + run.instant());
      }
      runs.put(key, run);
    });
  }

  @Override
  public List<ScheduleRun> runs(TenantId tenant, ScheduleId schedule, Instant before, int limit) {
    return newest(tenant, schedule).stream()
        .filter(each -> each.instant().isBefore(before))
        .limit(limit)
        .toList();
  }

  private List<ScheduleRun> newest(TenantId tenant, ScheduleId schedule) {
    return database.call(() ->
        runs.all().stream()
            .filter(each -> each.schedule().equals(schedule) && each.tenant().equals(tenant))
            .filter(each -> all(tenant).stream().anyMatch(of -> of.id().equals(schedule)))
            .sorted(Comparator.comparing(ScheduleRun::instant).reversed())
            .toList());
  }

  @Override
  public List<JobId> jobs(TenantId tenant, ScheduleId schedule, int limit) {
    return newest(tenant, schedule).stream()
        .flatMap(each -> Optional.ofNullable(each.job()).stream())
        .limit(limit)
        .toList();
  }

  @Override
  public void forget(TenantId tenant, ScheduleId schedule, int retained) {
    database.run(() ->
        newest(tenant, schedule).stream()
            .skip(retained)
            .forEach(each -> runs.remove(new RunKey(schedule, each.instant()))));
  }
}
