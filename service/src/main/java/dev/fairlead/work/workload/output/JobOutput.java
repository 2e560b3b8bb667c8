package dev.fairlead.work.workload.output;

import dev.fairlead.kernel.handle.OpenHandles;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptRange;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.log.ChunkStore;
import dev.fairlead.work.log.LogChunk;
import dev.fairlead.work.log.LogMember;
import dev.fairlead.work.log.LogPosition;
import dev.fairlead.work.log.LogStore;
import dev.fairlead.work.log.MemberLog;
import dev.fairlead.work.spec.ContainerSpec;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

/** Output of members: from the log store and, while their pods exist, from their clusters. */
@Service
public class JobOutput {
  private static final Logger LOG = LoggerFactory.getLogger(JobOutput.class);
  private static final int MOST_ATTEMPTS = 1_000;

  /**
   * Maximum number of outputs that a process streams concurrently. Each has a connection to a
   * cluster.
   */
  private static final int MOST_OPEN = 1_000;

  private final OpenHandles open = new OpenHandles(MOST_OPEN, "outputs open here");
  private final Transactions transactions;
  private final JobStore jobs;
  private final TenantStore tenants;
  private final LiveOutput output;
  private final LogStore index;
  private final ChunkStore store;
  private final InstantSource clock;

  public JobOutput(
      Transactions transactions,
      JobStore jobs,
      TenantStore tenants,
      LiveOutput output,
      LogStore index,
      ChunkStore store,
      InstantSource clock) {
    this.transactions = transactions;
    this.jobs = jobs;
    this.tenants = tenants;
    this.output = output;
    this.index = index;
    this.store = store;
    this.clock = clock;
  }

  /**
   * Selects an output.
   *
   * @param attempt number, null for the newest
   * @param member {@code role-index}, null for the first
   * @param container init container or sidecar, null for the program
   * @param element element of an array, 0 otherwise
   */
  public record Request(
      @Nullable Integer attempt,
      @Nullable String member,
      @Nullable String container,
      int element,
      @Nullable Integer tail,
      @Nullable Instant since,
      boolean follow) {
    /** The output of the program. */
    public Request(
        @Nullable Integer attempt,
        @Nullable String member,
        int element,
        @Nullable Integer tail,
        @Nullable Instant since,
        boolean follow) {
      this(attempt, member, null, element, tail, since, follow);
    }
  }

  /**
   * A requested output: the member, the range and the caller.
   *
   * @param kept the part in the log store
   */
  public record Source(
      Actor actor,
      Project project,
      Attempt attempt,
      Member member,
      Request request,
      LogStore.Whole kept) {
    /** Returns whether the cluster may have more than the log store. */
    boolean live() {
      return attempt.retiredAt() == null && kept.log().endedAt() == null;
    }
  }

  /**
   * @throws Refusal NOT_FOUND for a job, attempt or member that does not exist
   */
  public Source source(Actor actor, JobId id, Request request) {
    return transactions.read(() -> find(actor, id, request));
  }

  /**
   * Opens the output without reading the database. May wait for the cluster.
   *
   * @throws Refusal UNAVAILABLE, RATE_LIMITED while {@link #MOST_OPEN} outputs are open in this
   *     process
   */
  public InputStream open(Source source) {
    OpenHandles.Handle held = open.enter(source.actor());
    try {
      return new Counted(lines(source), held);
    } catch (RuntimeException e) {
      held.close();
      throw e;
    } catch (IOException e) {
      held.close();
      throw new Refusal(
          ProblemCode.UNAVAILABLE, "The output is not available now:" + " " + e.getMessage());
    }
  }

  private InputStream lines(Source source) throws IOException {
    Request request = source.request();
    Integer tail = request.tail();
    if (tail == null) {
      return whole(source, source.kept().parts(), 0);
    }
    long fresh = source.live() ? count(source, tail) : 0;
    if (source.live() && fresh >= tail) {
      NewLines last =
          new NewLines(
              lines(output.open(source, tail, request.since(), request.follow())),
              LogPosition.START);
      return new WholeOutput(
          store, source.kept().log().of(), List.of(), 0, request.since(), () -> last);
    }
    List<LogChunk> parts = source.kept().parts();
    int first = parts.size();
    long lines = 0;
    while (first > 0 && lines < tail - fresh) {
      lines += parts.get(--first).lines();
    }
    return whole(source, parts.subList(first, parts.size()), Math.max(0, lines - (tail - fresh)));
  }

  private OutputLines lines(InputStream fromCluster) {
    return OutputLines.ofCluster(fromCluster, clock);
  }

  /**
   * Counts the lines on the cluster after the stored lines, up to the given number. If the cluster
   * does not answer, counts only the available lines. The end of the output then states that the
   * rest is missing.
   */
  private long count(Source source, int most) {
    LogPosition from = source.kept().log().position();
    long count = 0;
    try (NewLines lines =
        new NewLines(lines(output.open(source, null, from.second(), false)), from)) {
      while (count < most && lines.next() != null) {
        count++;
      }
    } catch (Refusal | IOException away) {
      LOG.debug("lines of {} were not counted", source.member().key(), away);
    }
    return count;
  }

  private InputStream whole(Source source, List<LogChunk> parts, long skip) {
    Request request = source.request();
    Instant since = request.since();
    List<LogChunk> wanted =
        since == null
            ? parts
            : parts.stream().filter(part -> !part.to().plusMillis(1).isBefore(since)).toList();
    NewLines first = source.live() && wanted.isEmpty() ? live(source) : null;
    return new WholeOutput(
        store,
        source.kept().log().of(),
        wanted,
        wanted.size() == parts.size() ? skip : 0,
        since,
        source.live() ? () -> first == null ? live(source) : first : null);
  }

  private NewLines live(Source source) {
    LogPosition from = source.kept().log().position();
    InputStream lines = output.open(source, null, from.second(), source.request().follow());
    return new NewLines(lines(lines), from);
  }

  /** The output counts as open until it is closed. */
  private static final class Counted extends FilterInputStream {
    private final OpenHandles.Handle held;

    Counted(InputStream lines, OpenHandles.Handle held) {
      super(lines);
      this.held = held;
    }

    @Override
    public void close() throws IOException {
      held.close();
      super.close();
    }
  }

  private Source find(Actor actor, JobId id, Request request) {
    Job job =
        jobs.find(actor.tenant(), id)
            .orElseThrow(() -> missing("There is no job " + id.text() + "."));
    Attempt attempt =
        attempts(job, request).stream()
            .reduce((a, b) -> b)
            .orElseThrow(() -> missing("Job " + job.name() + " has no such attempt yet."));
    Member member =
        attempt.everyMember().stream()
            .filter(m -> request.member() == null || m.key().equals(request.member()))
            .findFirst()
            .orElseThrow(() -> missing(noMember(attempt)));
    Project project = tenants.project(actor.tenant(), job.project()).orElseThrow();
    MemberKey key = MemberKey.of(member);
    LogMember of = new LogMember(actor.tenant(), job.project(), job.id(), attempt.id(), key);
    String container = request.container();
    if (container != null) {
      requireContainer(job, attempt, member, container);
      LogStore.Whole nothing = new LogStore.Whole(MemberLog.begin(of), List.of());
      return new Source(actor, project, attempt, member, request, nothing);
    }
    LogStore.Whole kept =
        index
            .whole(actor.tenant(), attempt.id(), key)
            .map(whole -> attempt.retiredAt() == null ? withoutRemoved(whole) : whole)
            .orElseGet(() -> new LogStore.Whole(MemberLog.begin(of), List.of()));
    requireOutput(attempt, kept);
    return new Source(actor, project, attempt, member, request, kept);
  }

  /** Only its cluster has the output of an init container or sidecar. */
  private static void requireContainer(Job job, Attempt attempt, Member member, String container) {
    List<String> names =
        job.spec().roles().stream()
            .filter(role -> role.name().equals(member.role()))
            .flatMap(role -> role.extraContainers().all())
            .map(ContainerSpec::name)
            .toList();
    if (!names.contains(container)) {
      throw missing(
          names.isEmpty()
              ? "%s has no init container or sidecar.".formatted(member.key())
              : "%s has no init container or sidecar %s. It has %s."
                  .formatted(member.key(), container, String.join(", ", names)));
    }
    if (attempt.retiredAt() != null) {
      throw missing(
          "The output of %s is not stored, and was lost with the pod of %s."
              .formatted(container, member.key()));
    }
  }

  /** Replaces removed chunks by a mark, followed by the lines of the cluster. */
  private static LogStore.Whole withoutRemoved(LogStore.Whole whole) {
    MemberLog.Removal removed = whole.log().removed();
    if (removed == null) {
      return whole;
    }
    Instant ended = whole.log().endedAt();
    LogChunk mark =
        LogChunk.gap(
            1,
            ended == null ? Instant.EPOCH : ended,
            "the output" + why(removed) + " The output that the cluster still has follows");
    return new LogStore.Whole(MemberLog.begin(whole.log().of()), List.of(mark));
  }

  private static String why(MemberLog.Removal removed) {
    return removed == MemberLog.Removal.AGE
        ? " was removed: its retention has expired."
        : " was removed: the logs of its project exceeded their limit.";
  }

  private static void requireOutput(Attempt attempt, LogStore.Whole kept) {
    MemberLog.Removal removed = kept.log().removed();
    if (removed != null) {
      throw missing("The output of attempt " + attempt.number() + why(removed));
    }
    boolean nothing = kept.parts().isEmpty() && kept.log().endedAt() == null;
    if (attempt.retiredAt() != null && nothing) {
      throw missing(
          "The output of attempt " + attempt.number() + " was lost with its pods when it ended.");
    }
  }

  /**
   * Attempts up to the selected one, which is the last. Only the newest attempt of an array's
   * element needs a search.
   */
  private List<Attempt> attempts(Job job, Request request) {
    int element = request.element();
    Integer number = request.attempt();
    if (number != null) {
      return jobs.attempts(job.id(), new AttemptRange(element, element, number - 1, 1)).stream()
          .filter(attempt -> attempt.number() == number)
          .toList();
    }
    return job.array() == null && element == 0
        ? jobs.latestAttempts(job.tenant(), List.of(job.id()))
        : jobs.attempts(job.id(), AttemptRange.of(element, MOST_ATTEMPTS));
  }

  private static String noMember(Attempt attempt) {
    List<String> keys = attempt.everyMember().stream().map(Member::key).limit(8).toList();
    return "There is no such member. Members: " + String.join(", ", keys) + ".";
  }

  private static Refusal missing(String detail) {
    return new Refusal(ProblemCode.NOT_FOUND, detail);
  }
}
