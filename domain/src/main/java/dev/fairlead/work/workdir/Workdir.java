package dev.fairlead.work.workdir;

import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.log.StoreKey;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * An archive of code of a project. It is stored as pieces, so that no call to the store lasts long.
 * Each upload has its own id and pieces, so that two uploads of one digest never write to the same
 * place.
 *
 * @param id id of the upload
 * @param digest {@code sha256:} and 64 hexadecimal digits
 * @param bytes size of the archive, 1 to {@link #MOST_BYTES}
 * @param createdAt start of the upload
 */
public record Workdir(
    UUID id, TenantId tenant, ProjectId project, String digest, long bytes, Instant createdAt) {
  /** Largest archive, in bytes. */
  public static final long MOST_BYTES = 100L << 20;

  /** Bytes of each piece but the last. */
  public static final int PIECE = 4 << 20;

  /** A part of the archive. */
  private record Piece(String path) implements StoreKey {}

  /** The pieces of the archive in their order. */
  public List<StoreKey> pieces() {
    int count = Math.toIntExact((bytes + PIECE - 1) / PIECE);
    return IntStream.range(0, count).<StoreKey>mapToObj(this::piece).toList();
  }

  private Piece piece(int number) {
    return new Piece(
        "workdirs/%s/%s/%s/%03d.part".formatted(tenant.value(), project.value(), id, number));
  }
}
