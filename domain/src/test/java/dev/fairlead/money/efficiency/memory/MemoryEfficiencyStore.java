package dev.fairlead.money.efficiency.memory;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.money.efficiency.Efficiency;
import dev.fairlead.money.efficiency.EfficiencyStore;
import dev.fairlead.money.efficiency.IdleAttempt;
import dev.fairlead.money.efficiency.ReclaimedSum;
import dev.fairlead.money.efficiency.SampledAttempt;
import dev.fairlead.people.tenant.IdlePolicy;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.memory.MemoryJobStore;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** In-memory implementation of {@link EfficiencyStore}. */
public final class MemoryEfficiencyStore implements EfficiencyStore {
  private final MemoryDatabase database;
  private final MemoryJobStore jobs;
  private final TenantStore tenants;
  private final MemoryTable<AttemptId, Efficiency> rows;

  public MemoryEfficiencyStore(MemoryDatabase database, MemoryJobStore jobs, TenantStore tenants) {
    this.database = database;
    this.jobs = jobs;
    this.tenants = tenants;
    this.rows = database.table();
  }

  @Override
  public Instant now() {
    return jobs.now();
  }

  @Override
  public List<SampledAttempt> running(ClusterId cluster, Collection<AttemptId> attempts) {
    return database.call(() ->
        jobs.live().stream()
            .filter(attempt -> attempts.contains(attempt.id()))
            .filter(attempt -> attempt.cluster().equals(cluster))
            .filter(attempt -> attempt.state() == AttemptState.RUNNING)
            .sorted(Comparator.comparing(Attempt::id))
            .map(this::sampled)
            .filter(sampled -> !sampled.pods().isEmpty())
            .toList());
  }

  private SampledAttempt sampled(Attempt attempt) {
    Job job = jobs.findAll(List.of(attempt.job())).getFirst();
    Project project =
        tenants.projects(job.tenant()).stream()
            .filter(each -> each.id().equals(job.project()))
            .findFirst()
            .orElseThrow();
    SortedSet<String> pods = new TreeSet<>();
    attempt.members().stream()
        .filter(member -> member.gpuMilli() > 0)
        .forEach((Member member) -> pods.add(ObjectNames.pod(attempt.id(), MemberKey.of(member))));
    return new SampledAttempt(
        attempt.id(),
        job.id(),
        job.tenant(),
        project.namespace(),
        pods,
        policy(job, project),
        rows.find(attempt.id()).orElse(null));
  }

  @Override
  public void write(Collection<Efficiency> written) {
    database.run(() ->
        written.stream().filter(this::hasItsJob).forEach(row -> rows.put(row.attempt(), row)));
  }

  @Override
  public List<Efficiency> of(TenantId tenant, Collection<AttemptId> attempts) {
    return database.call(() ->
        rows.all().stream()
            .filter(row -> row.tenant().equals(tenant) && attempts.contains(row.attempt()))
            .filter(this::hasItsJob)
            .sorted(Comparator.comparing(Efficiency::attempt))
            .toList());
  }

  @Override
  public List<IdleAttempt> idle(
      TenantId tenant, @Nullable Collection<ProjectId> projects, int most) {
    return database.call(() ->
        jobs.live().stream()
            .filter(attempt -> attempt.state() == AttemptState.RUNNING)
            .flatMap(attempt ->
                rows.find(attempt.id()).stream()
                    .filter(row -> row.tenant().equals(tenant) && row.idleSince() != null)
                    .map(row -> idle(attempt, row)))
            .filter(idle -> projects == null || projects.contains(job(idle).project()))
            .sorted(
                Comparator.comparing(
                        (IdleAttempt idle) -> Objects.requireNonNull(idle.efficiency().idleSince()))
                    .thenComparing(idle -> idle.efficiency().attempt()))
            .limit(most)
            .toList());
  }

  private Job job(IdleAttempt idle) {
    return jobs.findAll(List.of(idle.efficiency().job())).getFirst();
  }

  private IdleAttempt idle(Attempt attempt, Efficiency row) {
    Job job = jobs.findAll(List.of(attempt.job())).getFirst();
    return new IdleAttempt(
        row,
        job.name(),
        tenants.project(job.tenant(), job.project()).orElseThrow().name(),
        job.user(),
        attempt.element(),
        attempt.number(),
        attempt.cluster(),
        attempt.members().stream().mapToLong(Member::gpuMilli).sum());
  }

  @Override
  public ReclaimedSum reclaimed(TenantId tenant) {
    return database.call(() -> {
      List<Efficiency.Reclaimed> all =
          rows.all().stream()
              .filter(row -> row.tenant().equals(tenant))
              .flatMap(row -> Stream.ofNullable(row.reclaimed()))
              .toList();
      return new ReclaimedSum(
          all.size(),
          all.stream().mapToDouble(Efficiency.Reclaimed::idleGpuHours).sum(),
          all.stream()
              .map(Efficiency.Reclaimed::returnedGpuHours)
              .filter(Objects::nonNull)
              .mapToDouble(hours -> hours)
              .sum());
    });
  }

  private static @Nullable IdlePolicy policy(Job job, Project project) {
    IdlePolicy policy = project.idle();
    if (policy == null || exempts(policy, job.spec().labels())) {
      return null;
    }
    return job.array() == null
        ? policy
        : new IdlePolicy(policy.below(), policy.warnAfter(), null, policy.exempt());
  }

  private boolean hasItsJob(Efficiency row) {
    return !jobs.findAll(List.of(row.job())).isEmpty();
  }

  private static boolean exempts(IdlePolicy policy, Map<String, String> labels) {
    return policy.exempt().entrySet().stream()
        .anyMatch(label -> label.getValue().equals(labels.get(label.getKey())));
  }
}
