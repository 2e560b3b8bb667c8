package dev.fairlead.work.workdir.service.spi;

import dev.fairlead.fleet.limit.Limit;
import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.fleet.limit.LimitSource;
import dev.fairlead.kernel.handle.OpenHandles;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.log.ChunkStore;
import dev.fairlead.work.log.StoreKey;
import dev.fairlead.work.spec.WorkdirSpec;
import dev.fairlead.work.workdir.Workdir;
import dev.fairlead.work.workdir.WorkdirStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

/** Uploads and reads archives of code. */
@Service
public class Workdirs {
  private static final Logger LOG = LoggerFactory.getLogger(Workdirs.class);

  /** Each upload holds one piece in memory. */
  private static final int UPLOADS = 8;

  private static final int DOWNLOADS = 64;
  private static final Duration LONGEST_UPLOAD = Duration.ofMinutes(10);
  private static final long MIB = 1L << 20;

  private final Transactions transactions;
  private final WorkdirStore workdirs;
  private final ChunkStore store;
  private final TenantStore tenants;
  private final LimitSource limits;
  private final AuditLog audit;
  private final IdSource ids;
  private final InstantSource clock;
  private final OpenHandles uploads = new OpenHandles(UPLOADS, "uploads of code here");
  private final OpenHandles downloads = new OpenHandles(DOWNLOADS, "downloads of code here");

  public Workdirs(
      Transactions transactions,
      WorkdirStore workdirs,
      ChunkStore store,
      TenantStore tenants,
      LimitSource limits,
      AuditLog audit,
      IdSource ids,
      InstantSource clock) {
    this.transactions = transactions;
    this.workdirs = workdirs;
    this.store = store;
    this.tenants = tenants;
    this.limits = limits;
    this.audit = audit;
    this.ids = ids;
    this.clock = clock;
  }

  /**
   * Returns a stored archive, which is then retained for a day without a job.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND (project, archive)
   */
  public Workdir one(Actor actor, String project, String digest) {
    Permissions.require(actor, "getWorkdir");
    return transactions.call(() ->
        workdirs
            .find(actor.tenant(), project(actor, project).id(), digest)
            .orElseThrow(() -> notFound(project, digest)));
  }

  /**
   * Stores an archive. The archive exists only after all of its bytes were stored and had the
   * digest. An archive that exists is not stored again.
   *
   * @param bytes number of bytes of the body, at least 1
   * @param validateOnly checks the request without reading the body
   * @throws Refusal FORBIDDEN, NOT_FOUND (project), BODY_TOO_LARGE, LIMIT_EXCEEDED beyond the limit
   *     of the project, RATE_LIMITED, MALFORMED_BODY for a shorter body, INVALID_FIELD for another
   *     digest, REQUEST_TIMEOUT, ILLEGAL_STATE without a log store, UNAVAILABLE if the store fails
   */
  public Workdir put(
      Actor actor,
      String project,
      String digest,
      long bytes,
      InputStream body,
      boolean validateOnly) {
    Permissions.require(actor, "putWorkdir");
    Project of = transactions.read(() -> project(actor, project));
    checked(bytes);
    Workdir upload =
        new Workdir(
            ids.next(),
            actor.tenant(),
            of.id(),
            digest,
            bytes,
            clock.instant().truncatedTo(ChronoUnit.MILLIS));
    LimitBook.Bound most = limits.now().ofProject(actor.tenant(), project, Limit.WORKDIR_MIB);
    try (OpenHandles.Handle _ = uploads.enter(actor)) {
      Optional<Workdir> stored =
          transactions.call(() -> workdirs.find(actor.tenant(), of.id(), digest));
      if (stored.isPresent()) {
        return stored.get();
      }
      transactions.runOrTry(validateOnly, () -> begin(upload, project, most));
      return validateOnly ? upload : uploaded(actor, upload, body);
    }
  }

  private void checked(long bytes) {
    if (!store.keeps()) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          "This installation stores no code, because it has no log store. Ask an operator"
              + " to set fairlead.logs.directory or fairlead.logs.s3.bucket.");
    }
    if (bytes > Workdir.MOST_BYTES) {
      throw new Refusal(
          ProblemCode.BODY_TOO_LARGE,
          "A code archive has at most %d MiB, not %d bytes."
              .formatted(Workdir.MOST_BYTES / MIB, bytes));
    }
    if (bytes < 1) {
      throw new Refusal(
          ProblemCode.MALFORMED_BODY, "Send the archive with its length as Content-Length.");
    }
  }

  private void begin(Workdir upload, String project, LimitBook.Bound most) {
    if (!workdirs.begin(upload, most.value() * MIB)) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          ("Project %s may store %d MiB of code, and this archive does not fit: %s. Archives"
                  + " that no job uses are deleted after a day.")
              .formatted(project, most.value(), most.named()));
    }
  }

  private Workdir uploaded(Actor actor, Workdir upload, InputStream body) {
    boolean done = false;
    try {
      stored(upload, body);
      boolean first =
          transactions.call(() -> {
            boolean completed = workdirs.complete(upload);
            if (completed) {
              audit.append(
                  List.of(
                      AuditRecord.change(actor, "putWorkdir", null, upload, of -> of.digest())));
            }
            return completed;
          });
      done = first;
      return first
          ? upload
          : workdirs
              .find(upload.tenant(), upload.project(), upload.digest())
              .orElseThrow(() -> unavailable("The upload was abandoned. Repeat it."));
    } finally {
      if (!done) {
        workdirs.abandon(upload);
      }
    }
  }

  private void stored(Workdir upload, InputStream body) {
    MessageDigest sum = sha256();
    long end = System.nanoTime() + LONGEST_UPLOAD.toNanos();
    long left = upload.bytes();
    for (StoreKey key : upload.pieces()) {
      byte[] piece = piece(body, (int) Math.min(left, Workdir.PIECE), end);
      sum.update(piece);
      left -= piece.length;
      try {
        store.put(key, piece);
      } catch (IOException failed) {
        LOG.warn("a piece of code cannot be stored: {}", failed.toString());
        throw unavailable("The archive cannot be stored now. Repeat the request later.");
      }
    }
    String found = "sha256:" + HexFormat.of().formatHex(sum.digest());
    if (!found.equals(upload.digest())) {
      throw new Refusal(
          ProblemCode.INVALID_FIELD,
          "The body has the digest %s, not %s.".formatted(found, upload.digest()));
    }
  }

  private static byte[] piece(InputStream body, int length, long end) {
    byte[] piece = new byte[length];
    int filled = 0;
    try {
      while (filled < length) {
        int read = body.read(piece, filled, length - filled);
        if (read < 0) {
          throw new Refusal(ProblemCode.MALFORMED_BODY, "The body ended early.");
        }
        filled += read;
        if (System.nanoTime() - end > 0) {
          throw new Refusal(
              ProblemCode.REQUEST_TIMEOUT,
              "The body was not sent within " + LONGEST_UPLOAD.toMinutes() + " minutes.");
        }
      }
    } catch (IOException broken) {
      throw new Refusal(ProblemCode.MALFORMED_BODY, "The body ended early.");
    }
    return piece;
  }

  /** Code that is read, with its size. */
  public record Open(Workdir workdir, InputStream bytes) {}

  /**
   * Opens the code of a job.
   *
   * @param caller who reads it, for a fair share of the downloads
   * @throws Refusal NOT_FOUND if the archive or its bytes do not exist, RATE_LIMITED, UNAVAILABLE
   *     if the store fails
   */
  public Open open(TenantId tenant, ProjectId project, WorkdirSpec code, String caller) {
    OpenHandles.Handle handle = downloads.enter(tenant.text(), caller);
    boolean opened = false;
    try {
      Workdir workdir =
          transactions
              .call(() -> workdirs.find(tenant, project, code.digest()))
              .orElseThrow(() -> missing(code));
      List<StoreKey> pieces = workdir.pieces();
      store.open(pieces.getLast()).close();
      InputStream bytes = new PiecesStream(store, pieces, handle::close);
      opened = true;
      return new Open(workdir, bytes);
    } catch (NoSuchFileException none) {
      throw missing(code);
    } catch (IOException failed) {
      LOG.warn("code {} cannot be read: {}", code.digest(), failed.toString());
      throw unavailable("The archive cannot be read now. Repeat the request later.");
    } finally {
      if (!opened) {
        handle.close();
      }
    }
  }

  private Project project(Actor actor, String name) {
    return tenants
        .projectNamed(actor.tenant(), name)
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.NOT_FOUND,
                "There is no project \"%s\". GET /api/v1/projects lists yours.".formatted(name)));
  }

  private static Refusal missing(WorkdirSpec code) {
    return new Refusal(
        ProblemCode.NOT_FOUND,
        "The code %s of the job is no longer stored.".formatted(code.digest()));
  }

  private static Refusal notFound(String project, String digest) {
    return new Refusal(
        ProblemCode.NOT_FOUND,
        "Project %s has no code archive with the digest %s.".formatted(project, digest));
  }

  private static Refusal unavailable(String detail) {
    return new Refusal(ProblemCode.UNAVAILABLE, detail);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
