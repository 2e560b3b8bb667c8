package dev.fairlead.work.workload.session;

import dev.fairlead.fleet.limit.Limit;
import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.fleet.limit.LimitSource;
import dev.fairlead.kernel.handle.OpenHandles;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.spec.ContainerSpec;
import dev.fairlead.work.spec.WarmMember;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.MemberSession;
import dev.fairlead.work.workload.SessionRequest;
import dev.fairlead.work.workload.service.ClusterConnections;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Service;

/**
 * Opens sessions in running members, through the connections of this process to the clusters. Each
 * session is an audit row at its start and one at its end.
 */
@Service
public class JobSessions implements SmartLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(JobSessions.class);

  /** The audit stores the program of a command only if it looks like one, and never arguments. */
  private static final Pattern PROGRAM = Pattern.compile("[A-Za-z0-9_./+-]{1,64}");

  /** Maximum wait of a shutdown for all callers together, some of which may read nothing. */
  private static final Duration CLOSING = Duration.ofSeconds(2);

  private static final String EXEC = "execJob";
  private static final String FORWARD = "forwardJobPort";
  private final Transactions transactions;
  private final JobStore jobs;
  private final TenantStore tenants;
  private final ClusterConnections gateways;
  private final LimitSource limits;
  private final AuditLog audit;
  private final SessionSettings settings;
  private final OpenHandles handles;
  private final Set<OpenSession> open = ConcurrentHashMap.newKeySet();
  private volatile boolean running;

  JobSessions(
      Transactions transactions,
      JobStore jobs,
      TenantStore tenants,
      ClusterConnections gateways,
      LimitSource limits,
      AuditLog audit,
      SessionSettings settings,
      MeterRegistry metrics) {
    this.transactions = transactions;
    this.jobs = jobs;
    this.tenants = tenants;
    this.gateways = gateways;
    this.limits = limits;
    this.audit = audit;
    this.settings = settings;
    handles = new OpenHandles(settings.most(), "sessions open here");
    Gauge.builder(Metric.SESSIONS.meter(), open, Set::size).register(metrics);
  }

  /**
   * Selects a member.
   *
   * @param member {@code role-index}, null for the first
   * @param container init container or sidecar, null for the program
   * @param element element of an array, 0 otherwise
   */
  public record Request(@Nullable String member, @Nullable String container, int element) {}

  /** A running member of a job that the caller may open. */
  public record Found(
      Actor actor,
      Project project,
      Job job,
      Attempt attempt,
      Member member,
      @Nullable String container) {}

  /**
   * Finds the running member.
   *
   * @throws Refusal NOT_FOUND for an unknown job, member or container. ILLEGAL_STATE if the member
   *     does not run. FORBIDDEN if sessions are off for the project
   */
  public Found find(Actor actor, JobId id, Request request) {
    LimitBook book = limits.now();
    return transactions.read(() -> {
      Job job =
          jobs.find(actor.tenant(), id)
              .orElseThrow(() -> missing("There is no job " + id.text() + "."));
      if (WarmMember.is(job.spec())) {
        throw notRunning(
            ("Job %s waits in a warm pool and opens no session before a user takes it. Submit a "
                    + "session to take it.")
                .formatted(job.name()));
      }
      Project project = tenants.project(actor.tenant(), job.project()).orElseThrow();
      LimitBook.Bound bound = bound(book, project);
      if (bound.value() == 0) {
        throw new Refusal(ProblemCode.FORBIDDEN, "Sessions are off: " + bound.named() + ", is 0.");
      }
      Attempt attempt =
          jobs.liveAttempts(id).stream()
              .filter(live -> live.element() == request.element())
              .findFirst()
              .orElseThrow(() ->
                  notRunning("Job " + job.name() + " is " + job.state() + " and has no attempt."));
      Member member = member(attempt, request);
      requireRunning(job, attempt, member, request.container());
      return new Found(actor, project, job, attempt, member, request.container());
    });
  }

  private static LimitBook.Bound bound(LimitBook book, Project project) {
    return book.ofProject(project.tenant(), project.name(), Limit.SESSIONS);
  }

  private static Member member(Attempt attempt, Request request) {
    return attempt.members().stream()
        .filter(m -> request.member() == null || m.key().equals(request.member()))
        .findFirst()
        .orElseThrow(() -> {
          List<String> keys = attempt.members().stream().map(Member::key).limit(8).toList();
          return missing("There is no such member. Members: " + String.join(", ", keys) + ".");
        });
  }

  private static void requireRunning(
      Job job, Attempt attempt, Member member, @Nullable String container) {
    boolean starts = member.state() == MemberState.PENDING || member.state() == MemberState.PULLING;
    if (container != null) {
      List<String> names =
          job.spec().roles().stream()
              .filter(role -> role.name().equals(member.role()))
              .flatMap(role -> role.extraContainers().all())
              .map(ContainerSpec::name)
              .toList();
      if (!names.contains(container)) {
        throw missing(
            "%s has no init container or sidecar %s. It has %s."
                .formatted(
                    member.key(), container, names.isEmpty() ? "none" : String.join(", ", names)));
      }
    }
    if (member.state() != MemberState.RUNNING && (container == null || !starts)) {
      throw notRunning(
          "%s of attempt %d is %s and not running."
              .formatted(member.key(), attempt.number(), member.state()));
    }
  }

  /**
   * Opens the session, and waits for the response of the cluster.
   *
   * @throws Refusal LIMIT_EXCEEDED or RATE_LIMITED if too many sessions are open in this process.
   *     ILLEGAL_STATE if the cluster refuses it. UNAVAILABLE if the cluster does not answer, or
   *     this process is shutting down
   */
  public OpenSession open(Found found, SessionRequest.Target target, SessionClient client) {
    ClusterGateway _ = gateway(found);
    OpenSession session = admitted(found, target, client, false);
    return started(session, () -> connect(found, target, session.receiver()));
  }

  /**
   * Opens a session for the pages of a browser, which has several connections to the port.
   *
   * @param connections closes all connections
   * @throws Refusal as {@link #open}
   */
  OpenSession browse(
      Found found, SessionRequest.Port port, SessionClient client, MemberSession connections) {
    return started(admitted(found, port, client, true), () -> connections);
  }

  /**
   * Connects to the member, without a session of its own.
   *
   * @throws IOException if the cluster refuses it or does not answer. The message is for people
   * @throws Refusal UNAVAILABLE if the cluster is not connected
   */
  MemberSession connect(Found found, SessionRequest.Target target, MemberSession.Receiver receiver)
      throws IOException {
    return gateway(found)
        .open(
            new SessionRequest(
                found.attempt().id(),
                found.project().namespace(),
                MemberKey.of(found.member()),
                found.container(),
                target),
            receiver);
  }

  private ClusterGateway gateway(Found found) {
    return gateways
        .of(found.attempt().cluster())
        .orElseThrow(() -> away("The cluster of this attempt is not connected."));
  }

  /** Opens the member's end of a session. */
  @FunctionalInterface
  private interface Opening {
    MemberSession open() throws IOException;
  }

  private OpenSession started(OpenSession session, Opening opening) {
    Found found = session.found();
    try {
      transactions.run(() -> audit.append(record(session, detail(session))));
      session.start(opening.open(), () -> bound(limits.now(), found.project()).value() > 0);
      return session;
    } catch (MemberSession.Refused refused) {
      session.end(new SessionEnd(SessionEnd.Cause.CLUSTER, message(refused)));
      throw notRunning("No session in " + found.member().key() + ": " + message(refused) + ".");
    } catch (IOException unanswered) {
      session.end(new SessionEnd(SessionEnd.Cause.CLUSTER, message(unanswered)));
      throw away("No session in " + found.member().key() + " now: " + message(unanswered) + ".");
    } catch (RuntimeException failed) {
      session.end(new SessionEnd(SessionEnd.Cause.CLUSTER, "it was not opened"));
      throw failed;
    }
  }

  /** Counts the session. The sessions of a project are few, so counting them is cheap. */
  private synchronized OpenSession admitted(
      Found found, SessionRequest.Target target, SessionClient client, boolean browser) {
    if (!running) {
      throw away("This replica of the service is shutting down.");
    }
    LimitBook.Bound bound = bound(limits.now(), found.project());
    long used =
        open.stream()
            .filter(other ->
                bound.ofTenant()
                    ? other.found().project().tenant().equals(found.project().tenant())
                    : other.found().project().id().equals(found.project().id()))
            .count();
    if (used >= bound.value()) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "%d sessions are open on this replica: %s, is %d."
              .formatted(used, bound.named(), bound.value()));
    }
    OpenSession session =
        new OpenSession(
            found,
            target,
            new OpenSession.Peer(client, browser),
            settings,
            handles.enter(found.actor()),
            System::nanoTime,
            this::ended);
    open.add(session);
    return session;
  }

  private SessionEnd ended(OpenSession session, SessionEnd end) {
    open.remove(session);
    Found found = session.found();
    SortedMap<String, Object> detail = detail(session);
    detail.put("seconds", session.seconds());
    if (session.exitCode() != null) {
      detail.put("exitCode", session.exitCode());
    }
    detail.put("ended", end.why().isEmpty() ? end.cause().name() : end.why());
    try {
      transactions.run(() -> audit.append(record(session, detail)));
      return end.cause() == SessionEnd.Cause.CLUSTER ? explained(found, end) : end;
    } catch (RuntimeException unrecorded) {
      LOG.warn(
          "the end of a session of {} in attempt {} could not be audited",
          found.actor().name(),
          found.attempt().id().text(),
          unrecorded);
      return end;
    }
  }

  /** An attempt that ends or moves closes its sessions, which the cluster alone cannot explain. */
  private SessionEnd explained(Found found, SessionEnd end) {
    return transactions
        .read(() ->
            jobs.find(found.actor().tenant(), found.job().id()).stream()
                .flatMap(job -> jobs.liveAttempts(job.id()).stream())
                .filter(live -> live.id().equals(found.attempt().id()))
                .findFirst())
        .map(live ->
            new SessionEnd(
                end.cause(), end.why() + ", attempt " + live.number() + " is " + live.state()))
        .orElseGet(() ->
            new SessionEnd(end.cause(), "attempt " + found.attempt().number() + " has ended"));
  }

  private static AuditRecord record(OpenSession session, SortedMap<String, Object> detail) {
    Found found = session.found();
    String operation = session.target() instanceof SessionRequest.Port ? FORWARD : EXEC;
    return new AuditRecord(found.actor(), operation, found.job().id().text(), true, detail);
  }

  private static SortedMap<String, Object> detail(OpenSession session) {
    Found found = session.found();
    SortedMap<String, Object> detail = new TreeMap<>();
    if (session.browser()) {
      detail.put("browser", true);
    }
    detail.put("attempt", found.attempt().id().text());
    detail.put("member", found.member().key());
    if (found.container() != null) {
      detail.put("container", found.container());
    }
    switch (session.target()) {
      case SessionRequest.Port(int number) -> detail.put("port", number);
      case SessionRequest.Command command -> {
        Stream.of(command.words().getFirst())
            .filter(word -> PROGRAM.matcher(word).matches())
            .forEach(program -> detail.put("program", program));
        detail.put("words", command.words().size());
        detail.put("terminal", command.terminal());
      }
    }
    return detail;
  }

  private static String message(IOException failure) {
    return String.valueOf(failure.getMessage());
  }

  private static Refusal missing(String detail) {
    return new Refusal(ProblemCode.NOT_FOUND, detail);
  }

  private static Refusal notRunning(String detail) {
    return new Refusal(ProblemCode.ILLEGAL_STATE, detail);
  }

  private static Refusal away(String detail) {
    return new Refusal(ProblemCode.UNAVAILABLE, detail);
  }

  @Override
  public void start() {
    running = true;
  }

  /** Sessions end before the web server stops, so that their callers learn the reason. */
  @Override
  public void stop() {
    synchronized (this) {
      running = false;
    }
    SessionEnd end =
        new SessionEnd(SessionEnd.Cause.SHUTDOWN, "this replica of the service is shutting down");
    List<Thread> closing =
        open.stream().map(session -> Thread.ofVirtual().start(() -> session.end(end))).toList();
    long until = System.nanoTime() + CLOSING.toNanos();
    try {
      for (Thread one : closing) {
        one.join(Duration.ofNanos(until - System.nanoTime()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public boolean isRunning() {
    return running;
  }
}
