package dev.fairlead.work.workload.session;

import dev.fairlead.kernel.handle.OpenHandles;
import dev.fairlead.work.workload.MemberSession;
import dev.fairlead.work.workload.SessionRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A session between a caller and a member. It buffers nothing: the slower end slows the other. */
public final class OpenSession implements AutoCloseable {
  private static final Duration CHECK = Duration.ofSeconds(2);
  private static final Pattern EXIT_CODE =
      Pattern.compile("\"reason\"\\s*:\\s*\"ExitCode\"\\s*,\\s*\"message\"\\s*:\\s*\"(\\d{1,9})\"");

  private static final Pattern SUCCESS = Pattern.compile("\"status\"\\s*:\\s*\"Success\"");
  private final JobSessions.Found found;
  private final SessionRequest.Target target;
  private final boolean browser;
  private final SessionClient client;
  private final SessionSettings settings;
  private final OpenHandles.Handle held;
  private final LongSupplier nanos;
  private final Ending ending;
  private final long openedAt;
  private final CountDownLatch over = new CountDownLatch(1);
  private final AtomicReference<@Nullable SessionEnd> end = new AtomicReference<>();
  private volatile long activeAt;
  private volatile @Nullable Integer exitCode;
  private volatile @Nullable MemberSession member;

  /** The other end of a session. */
  record Peer(SessionClient client, boolean browser) {}

  /** Completes the end of a session. */
  @FunctionalInterface
  interface Ending {
    /** Records the end, and returns it with everything that is known about its cause. */
    SessionEnd of(OpenSession session, SessionEnd end);
  }

  OpenSession(
      JobSessions.Found found,
      SessionRequest.Target target,
      Peer peer,
      SessionSettings settings,
      OpenHandles.Handle held,
      LongSupplier nanos,
      Ending ending) {
    this.found = found;
    this.target = target;
    this.browser = peer.browser();
    this.client = peer.client();
    this.settings = settings;
    this.held = held;
    this.nanos = nanos;
    this.ending = ending;
    openedAt = nanos.getAsLong();
    activeAt = openedAt;
  }

  JobSessions.Found found() {
    return found;
  }

  SessionRequest.Target target() {
    return target;
  }

  /** Returns whether the pages of a browser use it, with several connections. */
  boolean browser() {
    return browser;
  }

  boolean over() {
    return end.get() != null;
  }

  /** Notes data of a connection that this session does not relay itself. */
  void active() {
    activeAt = nanos.getAsLong();
  }

  /** Whole seconds since the session was opened. */
  long seconds() {
    return Duration.ofNanos(nanos.getAsLong() - openedAt).toSeconds();
  }

  /** Exit code of the command, null while it is not known. */
  @Nullable Integer exitCode() {
    return exitCode;
  }

  /** Passes frames of the member to the caller. */
  MemberSession.Receiver receiver() {
    return new MemberSession.Receiver() {
      @Override
      public void frame(ByteBuffer frame) throws IOException {
        if (end.get() != null) {
          throw new IOException("the session has ended");
        }
        activeAt = nanos.getAsLong();
        if (frame.get(0) == MemberSession.RESULT) {
          exitCode = codeOf(frame);
        }
        client.frame(frame);
        activeAt = nanos.getAsLong();
      }

      @Override
      public void ended(String why) {
        SessionEnd.Cause cause =
            why.isEmpty() ? SessionEnd.Cause.REGULAR : SessionEnd.Cause.CLUSTER;
        end(new SessionEnd(cause, why));
      }
    };
  }

  private static @Nullable Integer codeOf(ByteBuffer frame) {
    String status = StandardCharsets.UTF_8.decode(frame.duplicate().position(1)).toString();
    Matcher code = EXIT_CODE.matcher(status);
    return code.find()
        ? Integer.valueOf(code.group(1))
        : SUCCESS.matcher(status).find() ? Integer.valueOf(0) : null;
  }

  /**
   * Starts the checks of access, idle time and duration.
   *
   * @param allowed whether the project may have sessions
   */
  void start(MemberSession opened, BooleanSupplier allowed) {
    member = opened;
    if (end.get() != null) {
      opened.close(); // it ended during the opening
    }
    Thread _ = Thread.ofVirtual().name("session").start(() -> watch(allowed));
  }

  private void watch(BooleanSupplier allowed) {
    try {
      while (!over.await(CHECK.toMillis(), TimeUnit.MILLISECONDS)) {
        String why = violated(allowed);
        if (why != null) {
          end(new SessionEnd(SessionEnd.Cause.RULE, why));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private @Nullable String violated(BooleanSupplier allowed) {
    long now = nanos.getAsLong();
    if (now - openedAt > settings.longest().toNanos()) {
      return "the longest session takes " + text(settings.longest());
    }
    if (now - activeAt > settings.idle().toNanos()) {
      return "no data for " + text(settings.idle());
    }
    if (!client.permitted()) {
      return "the access of this caller has ended or cannot be checked";
    }
    return allowed.getAsBoolean() ? null : "sessions are now off for this project";
  }

  private static String text(Duration time) {
    return time.toString().substring(2).toLowerCase(Locale.ROOT);
  }

  /**
   * Sends a frame of the caller to the member, and waits until earlier frames were sent.
   *
   * @throws IOException if the session has ended
   */
  public void send(ByteBuffer frame) throws IOException {
    MemberSession to = member;
    if (to == null || end.get() != null) {
      throw new IOException("the session has ended");
    }
    activeAt = nanos.getAsLong();
    to.send(frame);
  }

  @Override
  public void close() {
    end(SessionEnd.BY_CALLER);
  }

  /** Ends the session, once. */
  void end(SessionEnd how) {
    if (!end.compareAndSet(null, how)) {
      return;
    }
    over.countDown();
    MemberSession opened = member;
    if (opened != null) {
      opened.close();
    }
    held.close();
    client.ended(ending.of(this, how));
  }
}
