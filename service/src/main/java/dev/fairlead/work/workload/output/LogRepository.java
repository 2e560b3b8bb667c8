package dev.fairlead.work.workload.output;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.log.ChunkKey;
import dev.fairlead.work.log.ChunkStore;
import dev.fairlead.work.log.LogMember;
import dev.fairlead.work.log.LogStore;
import dev.fairlead.work.log.MemberLog;
import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Reads and writes the rows of a collector, for many members in one call. */
@Component
public class LogRepository {
  private static final Logger LOG = LoggerFactory.getLogger(LogRepository.class);
  private final Transactions transactions;
  private final JobStore jobs;
  private final TenantStore tenants;
  private final LogStore index;
  private final ChunkStore store;

  public LogRepository(
      Transactions transactions,
      JobStore jobs,
      TenantStore tenants,
      LogStore index,
      ChunkStore store) {
    this.transactions = transactions;
    this.jobs = jobs;
    this.tenants = tenants;
    this.index = index;
    this.store = store;
  }

  /** Finds the log of each member. A member without a known attempt on this cluster has no log. */
  void resolve(ClusterId cluster, Collection<FollowedMember> members) {
    SortedSet<AttemptId> wanted = new TreeSet<>((a, b) -> a.value().compareTo(b.value()));
    members.stream().filter(m -> m.log() == null).forEach(m -> wanted.add(m.attempt));
    if (!wanted.isEmpty()) {
      transactions.readForAllTenants(() -> resolve(cluster, members, wanted));
    }
  }

  private boolean resolve(
      ClusterId cluster, Collection<FollowedMember> members, Collection<AttemptId> wanted) {
    Map<AttemptId, JobStore.AttemptOwner> owners = new TreeMap<>();
    jobs.owners(wanted).stream()
        .filter(owner -> owner.cluster().equals(cluster))
        .forEach(owner -> owners.put(owner.attempt(), owner));
    Map<LogMember, MemberLog> logs = new TreeMap<>();
    index.of(wanted).forEach(log -> logs.put(log.of(), log));
    Map<ProjectId, Optional<Project>> projects = new TreeMap<>();
    for (FollowedMember member : members) {
      JobStore.AttemptOwner owner = owners.get(member.attempt);
      if (owner != null && member.log() == null) {
        LogMember of = of(owner, member.key);
        projects
            .computeIfAbsent(owner.project(), id -> tenants.project(owner.tenant(), id))
            .ifPresent(project ->
                member.resolved(logs.getOrDefault(of, MemberLog.begin(of)), project.namespace()));
      }
    }
    return true;
  }

  private static LogMember of(JobStore.AttemptOwner owner, MemberKey member) {
    return new LogMember(owner.tenant(), owner.project(), owner.job(), owner.attempt(), member);
  }

  /**
   * Projects that exceed their limit by a tenth. Their output is not collected until logs are
   * removed.
   */
  SortedSet<ProjectId> full(Collection<FollowedMember> members, long projectBytes) {
    SortedSet<ProjectId> projects = new TreeSet<>();
    for (FollowedMember member : members) {
      MemberLog log = member.log();
      if (log != null) {
        projects.add(log.of().project());
      }
    }
    SortedSet<ProjectId> full = new TreeSet<>();
    index
        .stored(projects)
        .forEach((project, stored) -> {
          if (stored > projectBytes + projectBytes / 10) {
            full.add(project);
          }
        });
    return full;
  }

  MemberRead reading(FollowedMember member, MemberLog log, long memberBytes, Instant now) {
    return new MemberRead(store, memberBytes, member, log, now);
  }

  /**
   * @throws dev.fairlead.kernel.transaction.FenceLost when another process supervises the cluster
   */
  void write(HeldLease lease, List<LogStore.Step> steps) {
    transactions.runFenced(lease, () -> index.write(steps));
  }

  /** Removes a chunk that no log refers to. The sweep finds a chunk that could not be removed. */
  void remove(ChunkKey chunk) {
    try {
      store.remove(List.of(chunk));
    } catch (IOException failed) {
      LOG.warn("chunk {} was not removed: {}", chunk.path(), failed.toString());
    }
  }

  /** The database's time. */
  Instant now() {
    return jobs.now();
  }
}
