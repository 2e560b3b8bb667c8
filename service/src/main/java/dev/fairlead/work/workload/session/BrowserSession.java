package dev.fairlead.work.workload.session;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.workload.MemberSession;
import dev.fairlead.work.workload.SessionRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one browser to the server of a job. Together they count as one session for the
 * project's limit, with two rows in the audit.
 */
public final class BrowserSession {
  /** Connections at a time. A page of JupyterLab has one for each kernel and terminal. */
  static final int MOST = 32;

  /** Time after which an unused connection is closed, which the member counts as activity. */
  private static final Duration SPARE = Duration.ofSeconds(5);

  /** Time without a connection after which the session ends. */
  private static final Duration QUIET = Duration.ofSeconds(60);

  private final JobSessions sessions;
  private final JobSessions.Found found;
  private final int port;
  private final LongSupplier nanos;
  private final Set<MemberStream> open = new HashSet<>();
  private final Deque<Spare> spare = new ArrayDeque<>();
  private final OpenSession session;
  private long usedAt;
  private boolean over;

  private record Spare(MemberStream stream, long sinceNanos) {}

  /**
   * A connection for one request.
   *
   * @param reused whether an earlier request has used it, so the server may just have closed it
   */
  public record Connection(MemberStream stream, boolean reused) {}

  /**
   * Opens the session.
   *
   * @param permitted whether the caller still has its access
   * @throws Refusal as {@link JobSessions#open}
   */
  BrowserSession(
      JobSessions sessions,
      JobSessions.Found found,
      int port,
      BooleanSupplier permitted,
      LongSupplier nanos) {
    this.sessions = sessions;
    this.found = found;
    this.port = port;
    this.nanos = nanos;
    usedAt = nanos.getAsLong();
    session =
        sessions.browse(found, new SessionRequest.Port(port), client(permitted), connections());
  }

  JobSessions.Found found() {
    return found;
  }

  boolean over() {
    return session.over();
  }

  private SessionClient client(BooleanSupplier permitted) {
    return new SessionClient() {
      @Override
      public void frame(ByteBuffer frame) {
        throw new IllegalStateException("connections of a browser have frames of their own");
      }

      @Override
      public void ended(SessionEnd end) {
        closeAll();
      }

      @Override
      public boolean permitted() {
        tidy();
        return permitted.getAsBoolean();
      }
    };
  }

  private MemberSession connections() {
    return new MemberSession() {
      @Override
      public void send(ByteBuffer frame) throws IOException {
        throw new IOException("connections of a browser have frames of their own");
      }

      @Override
      public void close() {
        closeAll();
      }
    };
  }

  /**
   * Lends a connection, which is returned by {@link #release}.
   *
   * @param fresh whether it has to be a new one
   * @throws IOException if the member does not accept it. The message is for people
   * @throws Refusal RATE_LIMITED with too many connections
   */
  public Connection lend(boolean fresh) throws IOException {
    MemberStream stream = new MemberStream(() -> session().active());
    synchronized (this) {
      MemberStream left = fresh ? null : reusable();
      if (left != null) {
        return new Connection(left, true);
      }
      if (over) {
        throw new IOException("the session has ended");
      }
      if (open.size() >= MOST) {
        throw new Refusal(
            ProblemCode.RATE_LIMITED,
            "This session has %d connections, the maximum. Close a page.".formatted(MOST));
      }
      open.add(stream);
    }
    try {
      stream.of(sessions.connect(found, new SessionRequest.Port(port), stream));
      return new Connection(stream, false);
    } catch (IOException | RuntimeException refused) {
      release(stream, false);
      throw refused;
    }
  }

  private OpenSession session() {
    return session;
  }

  private @Nullable MemberStream reusable() {
    while (!spare.isEmpty()) {
      MemberStream last = spare.removeLast().stream();
      if (!last.over()) {
        return last;
      }
      open.remove(last);
    }
    return null;
  }

  /**
   * Takes a connection back.
   *
   * @param reusable whether the next request may use it
   */
  public void release(MemberStream stream, boolean reusable) {
    synchronized (this) {
      usedAt = nanos.getAsLong();
      if (reusable && !over && !stream.over()) {
        spare.addLast(new Spare(stream, usedAt));
        return;
      }
      open.remove(stream);
    }
    stream.close();
  }

  /** Closes connections that no request has used for a while, and then the session. */
  private void tidy() {
    List<Spare> old;
    boolean quiet;
    synchronized (this) {
      long now = nanos.getAsLong();
      old = spare.stream().filter(one -> now - one.sinceNanos() > SPARE.toNanos()).toList();
      spare.removeAll(old);
      old.forEach(one -> open.remove(one.stream()));
      quiet = open.isEmpty() && now - usedAt > QUIET.toNanos();
    }
    old.forEach(one -> one.stream().close());
    if (quiet) {
      session.close();
    }
  }

  private void closeAll() {
    List<MemberStream> all;
    synchronized (this) {
      over = true;
      all = List.copyOf(open);
      open.clear();
      spare.clear();
    }
    all.forEach(MemberStream::close);
  }

  /** Ends the session for its caller. */
  void close() {
    session.close();
  }
}
