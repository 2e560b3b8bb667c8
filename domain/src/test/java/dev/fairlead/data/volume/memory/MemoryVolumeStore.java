package dev.fairlead.data.volume.memory;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeBreaker;
import dev.fairlead.data.volume.VolumeId;
import dev.fairlead.data.volume.VolumeState;
import dev.fairlead.data.volume.VolumeStay;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.memory.MemoryJobStore;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** In-memory implementation of {@link VolumeStore}. */
public final class MemoryVolumeStore implements VolumeStore {
  private final MemoryDatabase database;
  private final MemoryJobStore jobs;
  private final MemoryTable<UUID, Volume> rows;
  private final MemoryTable<String, Ended> stays;
  private final MemoryTable<UUID, Boolean> losses;

  private record Ended(TenantId tenant, VolumeStay stay) {}

  public MemoryVolumeStore(MemoryDatabase database, MemoryJobStore jobs) {
    this.database = database;
    this.jobs = jobs;
    this.rows = database.table();
    this.stays = database.table();
    this.losses = database.table();
  }

  private List<Volume> those(Predicate<Volume> wanted) {
    return database.call(() ->
        rows.all().stream()
            .filter(wanted)
            .sorted(Comparator.comparing(Volume::name).thenComparing(v -> v.id().toString()))
            .toList());
  }

  @Override
  public List<Volume> all(TenantId tenant, ProjectId project) {
    return those(v -> v.tenant().equals(tenant) && v.project().equals(project));
  }

  @Override
  public Optional<Volume> find(TenantId tenant, ProjectId project, String name) {
    return named(tenant, project, List.of(name)).stream().findFirst();
  }

  @Override
  public List<Volume> named(TenantId tenant, ProjectId project, Collection<String> names) {
    return all(tenant, project).stream().filter(v -> names.contains(v.name())).toList();
  }

  @Override
  public List<Volume> withClaim(TenantId tenant) {
    return those(v -> v.tenant().equals(tenant) && v.claimUid() != null);
  }

  @Override
  public List<String> users(TenantId tenant, ProjectId project, String name, int most) {
    return database.call(() ->
        jobs.active().stream()
            .filter(job -> job.tenant().equals(tenant) && mounts(job, project, name))
            .map(Job::name)
            .sorted()
            .limit(most)
            .toList());
  }

  @Override
  public List<String> mounting(Volume volume, @Nullable Instant writersSince, int most) {
    return database.call(() ->
        jobs.all().stream()
            .filter(job -> job.tenant().equals(volume.tenant()))
            .filter(job -> job.project().equals(volume.project()))
            .filter(job -> mounts(job, volume, writersSince != null))
            .filter(job ->
                jobs.attempts(job.id(), Integer.MAX_VALUE).stream()
                    .anyMatch(attempt -> attempt.live() || endedSince(attempt, writersSince)))
            .map(Job::name)
            .distinct()
            .sorted()
            .limit(most)
            .toList());
  }

  private static boolean mounts(Job job, Volume volume, boolean writing) {
    return job.spec().volumes().stream()
        .filter(mounted ->
            volume.name().equals(mounted.volume()) || volume.claimName().equals(mounted.claim()))
        .anyMatch(mounted -> !writing || !mounted.readOnly());
  }

  private static boolean endedSince(Attempt attempt, @Nullable Instant since) {
    Instant ended = attempt.endedAt();
    return since != null && ended != null && !ended.isBefore(since);
  }

  private static boolean mounts(Job job, ProjectId project, String name) {
    return job.project().equals(project) && job.spec().volumeNames().contains(name);
  }

  @Override
  public void insert(Volume volume) {
    database.run(() -> {
      if (find(volume.tenant(), volume.project(), volume.name()).isPresent()) {
        throw new Conflict(Conflict.Guard.NAME_TAKEN, volume.name());
      }
      rows.put(volume.id(), volume);
    });
  }

  @Override
  public void update(Volume volume) {
    database.run(() -> {
      stored(volume, volume.version() - 1);
      boolean taken =
          find(volume.tenant(), volume.project(), volume.name())
              .filter(other -> !other.id().equals(volume.id()))
              .isPresent();
      if (taken) {
        throw new Conflict(Conflict.Guard.NAME_TAKEN, volume.name());
      }
      if (volume.state() == VolumeState.LOST) {
        endStay(volume);
      }
      rows.put(
          volume.id(),
          volume.withMissingSince(rows.find(volume.id()).orElseThrow().missingSince()));
    });
  }

  private void endStay(Volume volume) {
    boolean lostBefore =
        rows.find(volume.id()).filter(stored -> stored.state() == VolumeState.LOST).isPresent();
    if (!lostBefore && volume.claimUid() != null) {
      Instant from = stay(volume, Instant.MAX).from();
      Instant now = jobs.now();
      VolumeStay stay = stay(volume, now.isBefore(from) ? from : now);
      stays.put(volume.id() + " " + stay.from(), new Ended(volume.tenant(), stay));
    }
  }

  /** Begins no earlier than the end of the previous stay. */
  private VolumeStay stay(Volume volume, Instant to) {
    Instant begun = Objects.requireNonNullElse(volume.provisionedAt(), volume.made().at());
    Instant from =
        stays.all().stream()
            .map(Ended::stay)
            .filter(stay -> stay.volume().value().equals(volume.id()))
            .map(VolumeStay::to)
            .reduce(begun, (a, b) -> a.isAfter(b) ? a : b);
    return new VolumeStay(
        new VolumeId(volume.id()),
        volume.project(),
        volume.name(),
        volume.request().sizeGib(),
        volume.request().storageClass(),
        Objects.requireNonNull(volume.cluster()),
        from,
        to);
  }

  @Override
  public void stays(TenantId tenant, Instant from, Instant to, Consumer<VolumeStay> each) {
    List<VolumeStay> found =
        database.call(() ->
            Stream.concat(
                    those(v -> v.tenant().equals(tenant) && v.hasClaim()).stream()
                        .map(v -> stay(v, to)),
                    stays.all().stream().filter(one -> one.tenant.equals(tenant)).map(Ended::stay))
                .filter(one -> one.from().isBefore(to) && one.to().isAfter(from))
                .map(one -> within(one, from, to))
                .sorted(Comparator.comparing(VolumeStay::name).thenComparing(VolumeStay::from))
                .toList());
    found.forEach(each);
  }

  private static VolumeStay within(VolumeStay stay, Instant from, Instant to) {
    return new VolumeStay(
        stay.volume(),
        stay.project(),
        stay.name(),
        stay.sizeGib(),
        stay.storageClass(),
        stay.cluster(),
        stay.from().isBefore(from) ? from : stay.from(),
        stay.to().isAfter(to) ? to : stay.to());
  }

  @Override
  public int forgetStays(Instant endedBefore, int most) {
    return database.call(() -> {
      List<String> old =
          stays.map().entrySet().stream()
              .filter(each -> each.getValue().stay.to().isBefore(endedBefore))
              .map(Map.Entry::getKey)
              .limit(most)
              .toList();
      old.forEach(stays::remove);
      return old.size();
    });
  }

  @Override
  public void delete(Volume volume) {
    database.run(() -> {
      stored(volume, volume.version());
      endStay(volume);
      rows.remove(volume.id());
      losses.remove(volume.id());
    });
  }

  private void stored(Volume volume, long version) {
    boolean there =
        rows.find(volume.id())
            .filter(v -> v.version() == version && v.tenant().equals(volume.tenant()))
            .isPresent();
    if (!there) {
      throw new Conflict(Conflict.Guard.VERSION, volume.name());
    }
  }

  @Override
  public List<Volume> placed() {
    return those(Volume::drawsJobs).stream()
        .sorted(Comparator.comparing(v -> v.id().toString()))
        .toList();
  }

  @Override
  public List<Volume> on(ClusterId cluster) {
    return those(v -> cluster.equals(v.cluster()) && v.state() != VolumeState.LOST);
  }

  @Override
  public List<Volume> lost(ClusterId cluster) {
    return those(v -> cluster.equals(v.cluster()) && v.state() == VolumeState.LOST);
  }

  private List<Volume> doubted() {
    return those(v -> v.claimed() && v.missingSince() != null && losses.find(v.id()).isEmpty());
  }

  @Override
  public SortedMap<ClusterId, VolumeBreaker> breakers() {
    return database.call(() -> {
      SortedMap<ClusterId, VolumeBreaker> open = new TreeMap<>();
      for (Volume volume : doubted()) {
        ClusterId cluster = Objects.requireNonNull(volume.cluster());
        Instant since = Objects.requireNonNull(volume.missingSince());
        int claims = those(v -> cluster.equals(v.cluster()) && v.claimed()).size();
        open.merge(
            cluster,
            new VolumeBreaker(cluster, 1, claims, since),
            (all, one) ->
                new VolumeBreaker(
                    cluster,
                    all.missing() + 1,
                    claims,
                    one.since().isBefore(all.since()) ? one.since() : all.since()));
      }
      return open;
    });
  }

  @Override
  public void mark(ClusterId cluster, Collection<UUID> missing, Instant now) {
    database.run(() ->
        those(v -> cluster.equals(v.cluster())).stream()
            .filter(v -> missing.contains(v.id()) != (v.missingSince() != null))
            .forEach(v -> {
              rows.put(v.id(), v.withMissingSince(v.missingSince() == null ? now : null));
              losses.remove(v.id());
            }));
  }

  @Override
  public SortedMap<TenantId, Integer> confirm(ClusterId cluster) {
    return database.call(() -> {
      SortedMap<TenantId, Integer> confirmed = new TreeMap<>();
      doubted().stream()
          .filter(v -> cluster.equals(v.cluster()))
          .forEach(v -> {
            losses.put(v.id(), true);
            confirmed.merge(v.tenant(), 1, Integer::sum);
          });
      return confirmed;
    });
  }

  @Override
  public SortedSet<UUID> confirmed(ClusterId cluster) {
    return new TreeSet<>(
        those(v -> cluster.equals(v.cluster()) && losses.find(v.id()).isPresent()).stream()
            .map(Volume::id)
            .toList());
  }

  @Override
  public List<Volume> lock(Collection<Key> keys) {
    return those(v -> keys.contains(new Key(v.project(), v.name()))).stream()
        .sorted(Comparator.comparing(v -> new Key(v.project(), v.name())))
        .toList();
  }

  @Override
  public int unplace() {
    return database.call(() -> {
      List<Volume> idle = those(v -> v.state() == VolumeState.PLACED && !awaited(v));
      idle.forEach(v -> rows.put(v.id(), v.unplaced()));
      return idle.size();
    });
  }

  private boolean awaited(Volume volume) {
    return jobs.live().stream()
        .filter(attempt -> attempt.cluster().equals(volume.cluster()))
        .flatMap(attempt -> jobs.findAll(List.of(attempt.job())).stream())
        .anyMatch(job -> mounts(job, volume.project(), volume.name()));
  }
}
