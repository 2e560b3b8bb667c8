package dev.fairlead.work.workload.output;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.problem.FatalErrors;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.log.ChunkKey;
import dev.fairlead.work.log.LogChunk;
import dev.fairlead.work.log.LogStore;
import dev.fairlead.work.log.MemberLog;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.LogRequest;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.service.pass.OutputStatus;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataIntegrityViolationException;

/**
 * Collects the output of the members of one cluster in rounds: ended members first, then by waiting
 * time. A round belongs to one lease, and its writes are fenced.
 */
final class OutputCollector {
  private static final Logger LOG = LoggerFactory.getLogger(OutputCollector.class);

  /** Interval between checks whether a full project has free space. */
  private static final Duration FULL = Duration.ofSeconds(30);

  /**
   * Retention of a chunk after the next chunk has absorbed it, because it may still have a reader.
   */
  private static final Duration READABLE = Duration.ofMinutes(30);

  private static final String PROJECT_IS_FULL = "the logs of the project have reached their limit";

  private static final int MOST_REMOVED = 200;

  private final ClusterId cluster;
  private final HeldLease lease;
  private final LogRepository repository;
  private final LogSettings settings;
  private final OutputStatus gate;
  private final Reads reads;
  private final MonotonicClock clock;
  private final LogMeters meters;
  private final Map<AttemptId, SortedMap<MemberKey, FollowedMember>> followed = new TreeMap<>();
  private final List<FollowedMember> vanished = new ArrayList<>();
  private final Deque<Replaced> replaced = new ArrayDeque<>();
  private final SortedSet<ProjectId> full = new TreeSet<>();
  private long fullUntil;
  private long revision;

  OutputCollector(
      HeldCluster held,
      LogRepository repository,
      LogSettings settings,
      OutputStatus gate,
      Reads reads,
      MonotonicClock clock,
      LogMeters meters) {
    this.cluster = held.id();
    this.lease = held.lease();
    this.repository = repository;
    this.settings = settings;
    this.gate = gate;
    this.reads = reads;
    this.clock = clock;
    this.meters = meters;
  }

  /** A cluster whose output this process collects under a lease. */
  record HeldCluster(ClusterId id, HeldLease lease) {}

  /** An unreferenced chunk, and the time of its removal. */
  private record Replaced(ChunkKey key, long dueAt) {}

  /** The read of one member and its result. */
  private record Looked(FollowedMember member, MemberRead reading, @Nullable IOException failure) {}

  /** Runs one round within the limits of members and bytes per second. */
  void round(ClusterGateway gateway) {
    look(gateway);
    long now = clock.nanos();
    List<FollowedMember> due = due(now);
    meters.lag(due.isEmpty() ? 0 : lag(due, now));
    List<FollowedMember> turn = OutputTurn.of(due, settings.membersPerSecond());
    List<FollowedMember> gone = List.copyOf(vanished);
    turn.addAll(gone);
    if (!turn.isEmpty()) {
      repository.resolve(cluster, turn);
      Instant at = repository.now();
      full.addAll(repository.full(turn, settings.projectBytes()));
      List<Looked> looked = looks(gateway, turn, gone, at);
      store(looked, now);
    }
    vanished.removeAll(gone);
    removeReplaced(now);
    turn.stream().map(member -> member.attempt).distinct().forEach(this::show);
  }

  private static long lag(List<FollowedMember> due, long now) {
    long oldest = due.stream().mapToLong(m -> now - m.dueAt()).max().orElse(0);
    return Duration.ofNanos(oldest).toSeconds();
  }

  /**
   * Removes replaced chunks. The sweep of the store finds the remaining ones after the process has
   * ended.
   */
  private void removeReplaced(long now) {
    for (int i = 0; i < MOST_REMOVED; i++) {
      Replaced oldest = replaced.peek();
      if (oldest == null || now - oldest.dueAt() < 0) {
        return;
      }
      replaced.remove();
      repository.remove(oldest.key());
    }
  }

  private void look(ClusterGateway gateway) {
    WorkloadView view = gateway.workloadsSince(revision);
    revision = view.revision();
    if (view.complete()) {
      SortedSet<AttemptId> left = new TreeSet<>(followed.keySet());
      left.removeAll(view.workloads().keySet());
      left.forEach(id -> follow(ObservedWorkload.nothing(id)));
    }
    view.workloads().values().forEach(this::follow);
  }

  private void follow(ObservedWorkload workload) {
    AttemptId id = workload.attempt();
    long now = clock.nanos();
    SortedMap<MemberKey, FollowedMember> known =
        followed.computeIfAbsent(id, absent -> new TreeMap<>());
    for (ObservedMember seen : workload.members().values()) {
      if (seen.started()) {
        FollowedMember member =
            known.computeIfAbsent(seen.key(), key -> new FollowedMember(id, key, now));
        boolean ended = seen.state() == MemberState.SUCCEEDED || seen.state() == MemberState.FAILED;
        if (ended || seen.deleting()) {
          member.ends(ended, now);
        }
      }
    }
    known
        .values()
        .removeIf(member -> !workload.members().containsKey(member.key) && vanished(member));
    if (workload.members().isEmpty()) {
      followed.remove(id);
      gate.taken(cluster, id, false);
    } else {
      show(id);
    }
  }

  private boolean vanished(FollowedMember member) {
    if (!member.over()) {
      vanished.add(member);
    }
    return true;
  }

  /** Releases the attempt when all its output is collected. */
  private void show(AttemptId id) {
    SortedMap<MemberKey, FollowedMember> members = followed.get(id);
    if (members != null) {
      gate.taken(cluster, id, members.values().stream().allMatch(FollowedMember::over));
    }
  }

  /** Members that probably have new output. */
  private List<FollowedMember> due(long now) {
    if (now - fullUntil >= 0) {
      full.clear();
      fullUntil = now + FULL.toNanos();
    }
    return followed.values().stream()
        .flatMap(members -> members.values().stream())
        .filter(member -> member.due(now))
        .filter(member -> member.ended() || !member.full(settings.memberBytes()))
        .filter(member -> !ofFullProject(member))
        .toList();
  }

  private boolean ofFullProject(FollowedMember member) {
    MemberLog log = member.log();
    return log != null && full.contains(log.of().project());
  }

  private List<Looked> looks(
      ClusterGateway gateway,
      Collection<FollowedMember> turn,
      Collection<FollowedMember> gone,
      Instant at) {
    List<Looked> looked = new ArrayList<>();
    List<Reads.Task> tasks = new ArrayList<>();
    for (FollowedMember member : turn) {
      MemberLog log = member.log();
      if (log == null) {
        member.postponed("its attempt is not known", clock.nanos());
        continue;
      }
      if (member.over()) {
        continue;
      }
      MemberRead reading = repository.reading(member, log, settings.memberBytes(), at);
      if (gone.contains(member)) {
        String known = member.trouble() == null ? "its pod no longer existed" : member.trouble();
        String why = ofFullProject(member) ? PROJECT_IS_FULL : known;
        reading.giveUp("the last output is missing: " + why);
        looked.add(new Looked(member, reading, null));
      } else if (ofFullProject(member)) {
        member.postponed(PROJECT_IS_FULL, clock.nanos());
      } else if (member.full(settings.memberBytes())) {
        reading.end();
        looked.add(new Looked(member, reading, null));
      } else {
        tasks.add(new Reads.Task(() -> open(gateway, member, log), reading, member));
      }
    }
    for (Reads.Done done : reads.run(tasks, settings.bytesPerSecond())) {
      looked.add(new Looked(done.task().member(), done.task().reading(), done.failure()));
    }
    return looked;
  }

  private static InputStream open(ClusterGateway gateway, FollowedMember member, MemberLog log)
      throws IOException {
    return gateway.logs(
        new LogRequest(
            member.attempt,
            Objects.requireNonNull(member.namespace()),
            member.key,
            null,
            log.position().second(),
            false));
  }

  private void store(List<Looked> looked, long now) {
    List<Looked> taken = new ArrayList<>();
    for (Looked one : looked) {
      IOException failure = one.failure();
      if (failure == null) {
        taken.add(one);
      } else {
        failed(one.member(), failure, now);
      }
    }
    write(taken, now);
  }

  /**
   * Writes all members in one commit. If the database refuses the values, each member is written
   * separately, so that a bad member does not delay others. After a failure the stored state is
   * read again.
   */
  private void write(List<Looked> taken, long now) {
    List<LogStore.Step> steps =
        taken.stream().flatMap(one -> one.reading().steps().stream()).toList();
    try {
      if (!steps.isEmpty()) {
        repository.write(lease, steps);
      }
      taken.forEach(one -> stored(one, now));
    } catch (FenceLost deposed) {
      throw deposed;
    } catch (DataIntegrityViolationException refused) {
      if (taken.size() > 1) {
        taken.forEach(one -> write(List.of(one), now));
      } else {
        taken.forEach(this::removeWritten);
        notStored(taken, refused, now);
      }
    } catch (RuntimeException | Error failed) {
      FatalErrors.rethrow(failed);
      notStored(taken, failed, now);
    }
  }

  /** Removes the written chunk, because no row will name it. */
  private void removeWritten(Looked one) {
    one.reading().chunks().forEach(repository::remove);
  }

  private void notStored(List<Looked> taken, Throwable why, long now) {
    LOG.warn("output of {} was not stored: {}", lease.name(), why.toString());
    for (Looked one : taken) {
      one.member().unresolved();
      one.member().failed("the database did not accept it", now);
    }
  }

  private void stored(Looked one, long now) {
    MemberRead reading = one.reading();
    MemberLog before = one.member().log();
    meters.taken(reading.bytes());
    LogChunk last = one.member().last();
    if (last != null && reading.steps().stream().anyMatch(step -> step.replaced() > 0)) {
      replaced.add(new Replaced(last.key(reading.log().of()), now + READABLE.toNanos()));
    }
    meters.gaps(reading.log().gaps() - (before == null ? 0 : before.gaps()));
    one.member().stored(reading.log(), reading.written(), reading.bytes(), reading.more(), now);
  }

  private void failed(FollowedMember member, IOException failure, long now) {
    if (failure instanceof MemberRead.StoreFailed) {
      meters.storeFailed();
      LOG.warn("{}: {}", lease.name(), failure.getMessage());
    }
    String why = failure.getMessage();
    member.failed(why == null ? failure.toString() : why, now);
  }

  HeldLease lease() {
    return lease;
  }

  /** Stops, because another process collects the output. */
  void end() {
    followed.keySet().forEach(id -> gate.taken(cluster, id, false));
    meters.lag(0);
  }
}
