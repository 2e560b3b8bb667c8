package dev.fairlead.work.log;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Location of a chunk: one part for each of tenant, project, job, attempt and member, and its
 * number.
 *
 * @param sequence from 1 for each member
 * @param nonce drawn for each write, so that no two writers ever write the same key
 */
public record ChunkKey(LogMember of, int sequence, long nonce) implements StoreKey {
  private static final String ID = "([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})";
  private static final String MEMBER =
      "([a-z0-9](?:[a-z0-9-]{0,253}[a-z0-9])?)-([0-9]{1,9})-([0-9]{1,9})";
  private static final Pattern PATH =
      Pattern.compile(String.join("/", ID, ID, ID, ID, MEMBER, "([0-9]{9})-([0-9a-f]{16})\\.gz"));

  /**
   * Parts of letters, digits and hyphens, so that no name can lead out of the store.
   *
   * @throws IllegalArgumentException for a role that is not a DNS label
   */
  @Override
  public String path() {
    String path =
        String.join(
            "/",
            part(of.tenant()),
            part(of.project()),
            part(of.job()),
            part(of.attempt()),
            of.member().text(),
            "%09d-%016x.gz".formatted(sequence, nonce));
    if (!PATH.matcher(path).matches()) {
      throw new IllegalArgumentException(
          "no storage location for the log of member " + of.member().text());
    }
    return path;
  }

  private static String part(Id id) {
    return id.value().toString();
  }

  /** The key with this {@link #path}, empty for any other text. */
  public static Optional<ChunkKey> at(String path) {
    Matcher parts = PATH.matcher(path);
    return parts.matches() ? Optional.of(key(parts)) : Optional.empty();
  }

  private static ChunkKey key(Matcher parts) {
    MemberKey member =
        new MemberKey(
            parts.group(5), Integer.parseInt(parts.group(6)), Integer.parseInt(parts.group(7)));
    LogMember of =
        new LogMember(
            new TenantId(UUID.fromString(parts.group(1))),
            new ProjectId(UUID.fromString(parts.group(2))),
            new JobId(UUID.fromString(parts.group(3))),
            new AttemptId(UUID.fromString(parts.group(4))),
            member);
    return new ChunkKey(
        of, Integer.parseInt(parts.group(8)), Long.parseUnsignedLong(parts.group(9), 16));
  }
}
