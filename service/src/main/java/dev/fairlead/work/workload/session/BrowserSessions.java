package dev.fairlead.work.workload.session;

import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.keyring.SharedKey;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.FileFields;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Origin;
import dev.fairlead.work.workload.MemberSession;
import dev.fairlead.work.workload.SessionRequest;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Serves the pages of sessions to browsers, each session on a host of its own, so that its pages
 * cannot read those of other sessions or of the console.
 */
@Service
public class BrowserSessions {
  /** Use of a link, which a browser follows immediately. */
  private static final Duration LINK = Duration.ofSeconds(60);

  /** Use of a cookie, which is renewed by requests. */
  private static final Duration COOKIE = Duration.ofHours(1);

  /** Age at which a session is checked against the job again. */
  private static final Duration CHECKED = Duration.ofSeconds(2);

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String FILE = "/tmp/fairlead-session/session.json";
  private static final int MOST_BYTES = 64 * 1024;

  /** A path of its own host. A browser takes two slashes for the beginning of another host. */
  private static final Pattern PAGE = Pattern.compile("/(?![/\\\\])[!-~]{0,2000}");

  private static final JobSessions.Request FIRST = new JobSessions.Request(null, null, 0);
  private static final String PORT = "port";
  private static final String PATH = "path";
  private final JobSessions sessions;
  private final Transactions transactions;
  private final AuditLog audit;
  private final SessionSettings settings;
  private final SharedKey keys;
  private final IdSource ids;
  private final InstantSource clock;
  private final Map<String, Checked> open = new ConcurrentHashMap<>();

  BrowserSessions(
      JobSessions sessions,
      Transactions transactions,
      AuditLog audit,
      SessionSettings settings,
      SharedKey keys,
      IdSource ids,
      InstantSource clock) {
    this.sessions = sessions;
    this.transactions = transactions;
    this.audit = audit;
    this.settings = settings;
    this.keys = keys;
    this.ids = ids;
    this.clock = clock;
  }

  /** Path at which the host of a session takes a link. */
  public static final String ENTER = "/.fairlead/enter";

  private record Checked(BrowserSession session, long atNanos) {}

  /**
   * A link into a session.
   *
   * @param token for the host of the session, null if the link was only checked
   */
  public record Link(@Nullable String token, Instant expiresAt) {}

  /** The address below whose host sessions are served, empty if none is configured. */
  public Optional<URI> address() {
    return settings.url().isEmpty() ? Optional.empty() : Optional.of(URI.create(settings.url()));
  }

  /**
   * Creates a link to the first page of a session.
   *
   * @param proof by which later requests are still the caller's
   * @param access end of the access that the proof shows, null if none
   * @param validateOnly whether only the checks run
   * @throws Refusal ILLEGAL_STATE if the member does not run, its server is not ready, it has no
   *     page, or this service has no address for sessions or no key
   */
  public Link link(
      Actor actor, JobId id, String proof, @Nullable Instant access, boolean validateOnly) {
    JobSessions.Found found = sessions.find(actor, id, FIRST);
    byte[] key = key(SessionPass.LINK);
    if (address().isEmpty()) {
      throw refused(
          "This service has no address for pages of sessions: its administrator sets"
              + " fairlead.sessions.url. fairlead notebook open needs none.");
    }
    FileFields file = file(found);
    if (!file.has(PATH)) {
      throw refused("Job " + found.job().name() + " serves no page: use fairlead job ssh.");
    }
    Instant now = clock.instant();
    Instant longest = now.plus(settings.longest());
    Instant end = access == null || access.isAfter(longest) ? longest : access;
    SessionPass pass =
        SessionPassBuilder.builder()
            .id(IdText.encode(ids.next()))
            .job(id)
            .tenant(actor.tenant())
            .user(actor.name())
            .proof(proof)
            .port(file.port(PORT, 1, 0))
            .page(file.text(PATH))
            .until(now.plus(LINK))
            .end(end)
            .build();
    if (validateOnly) {
      return new Link(null, pass.until());
    }
    SortedMap<String, Object> detail = new TreeMap<>();
    detail.put("attempt", found.attempt().id().text());
    detail.put("member", found.member().key());
    detail.put(PORT, pass.port());
    transactions.run(
        () -> audit.append(new AuditRecord(actor, "createSessionLink", id.text(), true, detail)));
    return new Link(pass.text(key), pass.until());
  }

  /** The session file of the member, which its launcher writes when the server is ready. */
  private FileFields file(JobSessions.Found found) {
    MemberStream stream = new MemberStream(() -> {});
    try (stream) {
      List<String> words = List.of("cat", FILE);
      MemberSession cat =
          sessions.connect(found, new SessionRequest.Command(words, false, false), stream);
      stream.of(cat);
      InputStream input = stream.input(PATIENCE);
      String text = new String(input.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
      FileFields file = FileFields.read(text, "a session file", Set.of(PORT, PATH));
      if (file.has(PATH)) {
        int _ = file.port(PORT, 1, 0);
        String _ = FileFields.matching(PATH, file.text(PATH), PAGE);
      }
      return file;
    } catch (MemberSession.Refused refused) {
      throw refused("No session in " + found.member().key() + ": " + refused.getMessage() + ".");
    } catch (IOException | IllegalArgumentException unready) {
      throw refused(
          "The server of job %s is not ready: fairlead logs %s shows the reason."
              .formatted(found.job().name(), found.job().name()));
    }
  }

  /** The pass in a link, empty if the text is not a link or has expired. */
  public Optional<SessionPass> linked(String token) {
    return read(token, SessionPass.LINK);
  }

  /** The pass in a cookie, empty if the text is not a cookie or has expired. */
  public Optional<SessionPass> remembered(String cookie) {
    return read(cookie, SessionPass.COOKIE);
  }

  private Optional<SessionPass> read(String text, String purpose) {
    return keys.derived(purpose)
        .flatMap(key -> SessionPass.read(text, key))
        .filter(pass -> clock.instant().isBefore(pass.until()));
  }

  public String cookie(SessionPass pass) {
    return pass.renewed(clock.instant().plus(COOKIE)).text(key(SessionPass.COOKIE));
  }

  /** Returns whether most of the time of a cookie has passed, and it can be renewed. */
  public boolean ages(SessionPass pass) {
    return pass.until().isBefore(pass.end())
        && clock.instant().plus(COOKIE.dividedBy(2)).isAfter(pass.until());
  }

  private byte[] key(String purpose) {
    return keys.derived(purpose)
        .orElseThrow(
            () -> refused("Pages of sessions need a key of the service: set fairlead.key-file."));
  }

  /**
   * The open session of a pass. The first request opens it.
   *
   * @param permitted whether the caller still has its access, which ends with the pass at the
   *     latest
   * @throws Refusal as {@link JobSessions#find} and {@link JobSessions#open}
   */
  public BrowserSession of(SessionPass pass, Origin origin, BooleanSupplier permitted) {
    long now = System.nanoTime();
    Checked last = open.get(pass.id());
    if (last != null && !last.session().over() && now - last.atNanos() < CHECKED.toNanos()) {
      return last.session();
    }
    Actor actor = new Actor(pass.tenant(), pass.user()).by(origin);
    JobSessions.Found found = sessions.find(actor, pass.job(), FIRST);
    open.values().removeIf(one -> one.session().over());
    return open.compute(
            pass.id(),
            (id, held) -> {
              if (held != null && !held.session().over()) {
                if (held.session().found().attempt().id().equals(found.attempt().id())) {
                  return new Checked(held.session(), now);
                }
                held.session().close();
              }
              return new Checked(
                  new BrowserSession(
                      sessions,
                      found,
                      pass.port(),
                      () -> clock.instant().isBefore(pass.end()) && permitted.getAsBoolean(),
                      System::nanoTime),
                  now);
            })
        .session();
  }

  private static Refusal refused(String detail) {
    return new Refusal(ProblemCode.ILLEGAL_STATE, detail);
  }
}
