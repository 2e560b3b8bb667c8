package dev.fairlead.work.workload.slurm;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.Contact;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.InventoryView;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LogRequest;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.WorkloadView;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A Slurm cluster. A thread reads jobs, nodes and partitions every two seconds. An attempt is one
 * job with the name of the attempt, so a repeated launch finds the job of an earlier process. If
 * two submissions of an attempt meet, {@code singleton} makes the later job wait, and the gateway
 * cancels it.
 */
final class SlurmClusterGateway implements ClusterGateway {
  static final Duration INTERVAL = Duration.ofSeconds(2);

  /** Time for which an answer counts as present, as for other clusters. */
  private static final Duration ANSWERED = Duration.ofSeconds(3);

  /**
   * After this time a submission without an answer can no longer create a job. It is twice the
   * default of MessageTimeout, the limit of slurmctld for a request.
   */
  private static final Duration RESOLVED = Duration.ofSeconds(20);

  /**
   * A reading cancels jobs only within this time after the last claim. Other processes read the
   * cluster too, and may take another job for the first one of its attempt.
   */
  private static final Duration CONFIRMED = Duration.ofSeconds(15);

  private final SlurmRest rest;
  private final Installation installation;
  private final String user;
  private final LongSupplier nanos;
  private final SlurmAttempts attempts;
  private final Semaphore wake = new Semaphore(0);

  /** Held by an action. An action may also hold the next lock. */
  private final ReentrantLock acting = new ReentrantLock();

  /** Held by a reading. A claim waits for neither, so a slow answer does not delay leases. */
  private final ReentrantLock reading = new ReentrantLock();

  private final Thread reader;
  private volatile SlurmView view = SlurmView.NONE;
  private volatile long answeredNanos;
  private volatile @Nullable String trouble = "no answer from slurmrestd yet";
  private volatile @Nullable Runnable listener;
  private volatile boolean closed;
  private long epoch;
  private long watermark;
  private long claimedNanos;
  private long confirmedNanos;

  SlurmClusterGateway(String cluster, SlurmRest rest, Installation installation, String user) {
    this(cluster, rest, installation, user, System::nanoTime);
  }

  /**
   * @param nanos a monotonic clock
   */
  SlurmClusterGateway(
      String cluster, SlurmRest rest, Installation installation, String user, LongSupplier nanos) {
    this.nanos = nanos;
    this.rest = rest;
    attempts = new SlurmAttempts(nanos);
    answeredNanos = nanos.getAsLong();
    this.installation = installation;
    this.user = user;
    reader = Thread.ofPlatform().name("slurm-" + cluster).daemon().unstarted(this::readAll);
  }

  SlurmClusterGateway open() {
    reader.start();
    return this;
  }

  private void readAll() {
    while (!closed) {
      try {
        read();
      } catch (RuntimeException broken) {
        trouble = "the answer of slurmrestd cannot be read: " + broken;
      }
      try {
        boolean _ = wake.tryAcquire(INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        int _ = wake.drainPermits();
      } catch (InterruptedException ended) {
        return;
      }
    }
  }

  /** Reads the cluster once. */
  void read() {
    boolean changed;
    reading.lock();
    try {
      changed = readNow();
    } finally {
      reading.unlock();
    }
    Runnable told = listener;
    if (changed && told != null) {
      told.run();
    }
  }

  private boolean readNow() {
    long before = attempts.revision();
    SlurmView last = view;
    try {
      SlurmView now = SlurmView.read(rest, installation, user, last, nanos.getAsLong());
      List<SlurmJob> late = attempts.take(now);
      view = now;
      answeredNanos = nanos.getAsLong();
      trouble = ends(now);
      if (confirmed()) {
        for (SlurmJob job : late) {
          rest.delete("job/" + job.id());
        }
      }
    } catch (SlurmRest.Away | SlurmRest.Denied away) {
      trouble = away.getMessage();
    }
    return attempts.revision() != before
        || view.inventory().revision() != last.inventory().revision();
  }

  private synchronized boolean confirmed() {
    return epoch > 0 && nanos.getAsLong() - confirmedNanos < CONFIRMED.toNanos();
  }

  private synchronized long epoch() {
    return epoch;
  }

  private synchronized boolean readSinceTheClaim() {
    return !view.none() && view.startedNanos() - claimedNanos >= 0;
  }

  /**
   * Reads the ends of jobs that slurmctld has forgotten.
   *
   * @return why an end is still unknown, null if all are known
   */
  private @Nullable String ends(SlurmView now) {
    String unknown = null;
    try {
      for (var missing : attempts.missing(now).entrySet()) {
        SlurmJob end = byAccounting(missing.getKey(), missing.getValue());
        attempts.ended(missing.getKey(), end);
        if (!end.over()) {
          unknown =
              "slurmctld has no job %d, and the accounting shows it as %s. If it does not run, end it with sacctmgr show runawayjobs"
                  .formatted(end.id(), end.state());
        }
      }
    } catch (SlurmRest.Away away) {
      unknown = "the end of a job is unknown: " + away.getMessage();
    }
    return unknown;
  }

  /** The job by its record in the accounting. Records of other clusters may have its number. */
  private SlurmJob byAccounting(AttemptId id, long job) throws SlurmRest.Away {
    SlurmJob last = attempts.job(id).orElseGet(() -> SlurmJob.vanished(job, id, ""));
    SlurmJob vanished = SlurmJob.vanished(job, id, last.members());
    try {
      return rest.accounting(job).stream()
          .filter(record -> record.path("name").asString("").equals(ObjectNames.attempt(id)))
          .map(last::ended)
          .findFirst()
          .orElse(vanished);
    } catch (SlurmRest.Denied none) {
      return vanished;
    }
  }

  @Override
  public Contact contact() {
    long silent = Math.max(0, (nanos.getAsLong() - answeredNanos) / Duration.ofMillis(1).toNanos());
    return new Contact(silent <= ANSWERED.toMillis() ? 0 : silent, !view.none(), trouble);
  }

  @Override
  public Capabilities capabilities() {
    SlurmView now = view;
    if (now.none()) {
      return Capabilities.UNOBSERVED;
    }
    return Capabilities.UNOBSERVED
        .with()
        .serverVersion("Slurm " + now.release() + ", REST " + rest.usedVersion())
        .fence(Capabilities.Fence.ABSENT)
        .gpuIdentity(GpuIdentity.UNKNOWN)
        .build();
  }

  @Override
  public InventoryView inventory() {
    return view.inventory();
  }

  @Override
  public Optional<NodeReport> nodeNow(String name) {
    try {
      JsonNode nodes = rest.read("node/" + name, "nodes").path("nodes");
      return SlurmNodes.reports(nodes, view.ownJobs()).stream().findFirst();
    } catch (SlurmRest.Away | SlurmRest.Denied unanswered) {
      return Optional.empty();
    }
  }

  @Override
  public WorkloadView workloadsSince(long revision) {
    return attempts.since(revision);
  }

  @Override
  public void recognise(Attempt attempt, Job job) {
    attempts.recognise(attempt);
  }

  /** A job that slurmctld has forgotten is shown with its end by the accounting. */
  @Override
  public boolean gone(String namespace, AttemptId attempt, MemberKey member, String uid) {
    return false;
  }

  @Override
  public synchronized EpochClaim claim(long claimed, long marked) {
    if (claimed < epoch) {
      return new EpochClaim.Higher(epoch);
    }
    if (marked < watermark) {
      return new EpochClaim.Ahead(watermark);
    }
    if (claimed > epoch) {
      claimedNanos = nanos.getAsLong();
    }
    epoch = claimed;
    watermark = marked;
    confirmedNanos = nanos.getAsLong();
    return EpochClaim.OURS;
  }

  @Override
  public ActionOutcome apply(WorkloadAction action) {
    acting.lock();
    try {
      return switch (action) {
        case WorkloadAction.Launch launch -> launch(launch.order());
        case WorkloadAction.Stop stop -> stop(stop.attempt(), stop.members());
        case WorkloadAction.Remove remove -> remove(remove);
        case WorkloadAction.Retire retire -> retire(retire.attempt());
        case WorkloadAction.Ask ask -> done();
        case WorkloadAction.Budget budget -> done();
      };
    } catch (SlurmRest.Away away) {
      return new ActionOutcome.Unavailable(String.valueOf(away.getMessage()));
    } catch (SlurmRest.Denied denied) {
      return new ActionOutcome.Refused(
          denied.malformed() ? ActionOutcome.Why.DENIED : ActionOutcome.Why.NOT_NOW,
          "Slurm refuses the job: " + denied.getMessage());
    } finally {
      acting.unlock();
    }
  }

  private static ActionOutcome done() {
    return new ActionOutcome.Done(Collections.emptySortedSet());
  }

  private ActionOutcome launch(LaunchOrder order) throws SlurmRest.Away, SlurmRest.Denied {
    Attempt attempt = order.attempt();
    long claimed = epoch();
    if (order.epoch() < claimed) {
      return new ActionOutcome.Deposed(claimed);
    }
    if (attempts.closed(attempt.id())) {
      return done();
    }
    ActionOutcome.Refused refused = refusal(order);
    if (refused != null) {
      return refused;
    }
    attempts.recognise(attempt);
    if (unknown(attempt.id())) {
      return new ActionOutcome.Unavailable("the jobs of the cluster are being read");
    }
    if (attempts.launched(attempt.id())) {
      return done();
    }
    String partition = partition(attempt);
    if (partition == null) {
      return new ActionOutcome.Refused(
          ActionOutcome.Why.PLACE_REFUSED,
          "no open partition has all planned nodes: "
              + String.join(", ", SlurmScript.planned(attempt)));
    }
    Set<String> nodes = view.partitions().getOrDefault(partition, Set.of());
    attempts.submitting(attempt.id());
    JsonNode answer = submit(new SlurmScript(order, partition, nodes), attempt.id());
    long job = answer.path("job_id").asLong(0);
    if (job <= 0) {
      return new ActionOutcome.Unavailable("slurmrestd answered without the number of the job");
    }
    attempts.submitted(attempt, job);
    wake.release();
    return done();
  }

  private JsonNode submit(SlurmScript script, AttemptId attempt)
      throws SlurmRest.Away, SlurmRest.Denied {
    try {
      return rest.submit(script.body());
    } catch (SlurmRest.Denied denied) {
      attempts.refused(attempt);
      throw denied;
    }
  }

  private static ActionOutcome.@Nullable Refused refusal(LaunchOrder order) {
    String limit = SlurmLimits.trouble(order.job());
    if (limit != null) {
      return new ActionOutcome.Refused(ActionOutcome.Why.DENIED, limit);
    }
    return order
        .missingSecret()
        .map(missing -> new ActionOutcome.Refused(ActionOutcome.Why.INVALID, missing))
        .orElse(null);
  }

  /**
   * Returns whether a job of the attempt may exist that no reading shows: an earlier process, or a
   * submission without an answer, may have created it. Reads the cluster if that helps.
   */
  private boolean unknown(AttemptId id) {
    if (attempts.launched(id)) {
      return false;
    }
    if (!readSinceTheClaim()) {
      read();
    }
    long since = attempts.unansweredSince(id);
    if (since != 0 && view.startedNanos() - since < RESOLVED.toNanos()) {
      read();
      since = attempts.unansweredSince(id);
    }
    return !readSinceTheClaim() || since != 0 && view.startedNanos() - since < RESOLVED.toNanos();
  }

  /** The first partition with all planned nodes, null if none has. */
  private @Nullable String partition(Attempt attempt) {
    SortedSet<String> planned = SlurmScript.planned(attempt);
    return view.partitions().entrySet().stream()
        .filter(partition -> partition.getValue().containsAll(planned))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(null);
  }

  private ActionOutcome stop(AttemptId id, Collection<MemberKey> members)
      throws SlurmRest.Away, SlurmRest.Denied {
    if (unknown(id)) {
      return new ActionOutcome.Unavailable("the jobs of the cluster are being read");
    }
    if (attempts.launched(id) && attempts.job(id).isEmpty()) {
      read();
      return attempts.job(id).isEmpty()
          ? new ActionOutcome.Unavailable("the job is not shown yet")
          : stop(id, members);
    }
    SlurmJob job = attempts.job(id).orElse(null);
    if (job == null) {
      attempts.close(id);
      return new ActionOutcome.Done(new TreeSet<>(members));
    }
    return cancel(id, job);
  }

  /** Another job has the number of a job that slurmctld has forgotten, if it lost its state. */
  private ActionOutcome cancel(AttemptId id, SlurmJob job) throws SlurmRest.Away, SlurmRest.Denied {
    attempts.ordered(id);
    if (job.over()) {
      return done();
    }
    if (view.jobs().getOrDefault(id, List.of()).stream().noneMatch(j -> j.id() == job.id())) {
      return new ActionOutcome.Unavailable("slurmctld has no job " + job.id() + " of the attempt");
    }
    rest.delete("job/" + job.id());
    wake.release();
    return done();
  }

  private ActionOutcome remove(WorkloadAction.Remove remove)
      throws SlurmRest.Away, SlurmRest.Denied {
    int all =
        Optional.ofNullable(attempts.since(0).workloads().get(remove.attempt()))
            .map(seen -> seen.members().size())
            .orElse(remove.members().size());
    return remove.members().size() >= all
        ? stop(remove.attempt(), remove.members())
        : new ActionOutcome.Refused(
            ActionOutcome.Why.UNSUPPORTED, "members of a Slurm job end together");
  }

  private ActionOutcome retire(AttemptId id) throws SlurmRest.Away, SlurmRest.Denied {
    SlurmJob job = attempts.job(id).orElse(null);
    if (job != null && !job.over()) {
      ActionOutcome cancelled = cancel(id, job);
      return cancelled.equals(done())
          ? new ActionOutcome.Unavailable("job " + job.id() + " of Slurm is being cancelled")
          : cancelled;
    }
    attempts.close(id);
    return done();
  }

  @Override
  public ActionOutcome keepOut(String node, boolean out) {
    return new ActionOutcome.Refused(
        ActionOutcome.Why.UNSUPPORTED, "Fairlead cannot drain Slurm nodes");
  }

  @Override
  public InputStream logs(LogRequest request) throws IOException {
    throw new IOException(
        "Slurm writes the output to /tmp/%s.out on the first node of the job"
            .formatted(ObjectNames.attempt(request.attempt())));
  }

  @Override
  public void onChange(Runnable run) {
    listener = run;
  }

  @Override
  public void close() {
    closed = true;
    reader.interrupt();
  }
}
